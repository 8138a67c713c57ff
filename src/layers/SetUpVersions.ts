import { Context, Effect, Layer, Schema } from "effect"
import { SetUpChanged } from "../services/SetUpChanged.ts"

/** Whose set-up the platform's shared accounts are. */
const PLATFORM = 0

const CAPACITY = 100_000

const versionOf = (customerId: string): string =>
  `coalesce((select version from set_up_versions where customer_id = ${customerId}), 0)`

const platformVersion = versionOf(String(PLATFORM))

/** Columns of a row that is cached; `customerId` is the column that says whose it is, null for the platform's. */
export const setUpColumns = (customerId: string): string =>
  `${versionOf(customerId)} + ${platformVersion} as "setUpVersion", ${platformVersion} as "platformVersion"`

export const SetUpFields = { setUpVersion: Schema.Int, platformVersion: Schema.Int }

/**
 * For a statement about requests `r`, each with the version that it was prepared with as `set_up` (null: any): how to
 * join what is current, and the condition that a request is. Joined once for a batch, by primary key.
 */
export const currentSetUp = {
  join: `left join set_up_versions s on s.customer_id = r.customer_id`,
  condition: `(r.set_up is null or r.set_up = coalesce(s.version, 0) + ${platformVersion})`
}

interface Versioned {
  readonly customerId: number | null
  readonly setUpVersion: number
}

/**
 * The newest version of each customer's set-up that this process has seen. What is cached was read at some version; it is
 * used while no newer one was seen. Statements that write, and those that answer, compare the version with the store's:
 * so what this process has not seen yet is found out there, before anything is done.
 */
export class SetUpVersions extends Context.Service<
  SetUpVersions,
  {
    /** Takes note of what was read just now. */
    readonly note: (
      customerId: number | null,
      read: { readonly setUpVersion: number; readonly platformVersion: number }
    ) => void
    readonly isCurrent: (read: Versioned) => boolean
    /** Fails, after taking note that the store has a newer version than this. */
    readonly changed: (customerId: number, since: number | null) => Effect.Effect<never, SetUpChanged>
  }
>()("peyk/layers/SetUpVersions") {
  static readonly layer = Layer.sync(SetUpVersions, () => {
    const newest = new Map<number, number>()
    const seen = (customerId: number, version: number) => {
      const known = newest.get(customerId) ?? 0
      newest.delete(customerId)
      const [oldest] = newest.size >= CAPACITY ? newest.keys() : []
      if (oldest !== undefined) newest.delete(oldest)
      newest.set(customerId, Math.max(known, version))
    }
    return SetUpVersions.of({
      note: (customerId, { setUpVersion, platformVersion: platform }) => {
        seen(PLATFORM, platform)
        if (customerId !== null) seen(customerId, setUpVersion)
      },
      isCurrent: ({ customerId, setUpVersion }) => setUpVersion >= (newest.get(customerId ?? PLATFORM) ?? 0),
      changed: (customerId, since) =>
        Effect.suspend(() => {
          if (since !== null) seen(customerId, since + 1)
          return new SetUpChanged()
        })
    })
  })
}
