import { Context, Effect, Layer, Schema } from "effect"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import { BoundedMap } from "../../../services/concurrency/BoundedMap.ts"
import { SetUpChanged } from "../../../services/customer/Idempotency.ts"

const CAPACITY = 100_000

const versionOf = (customerId: string): string =>
  `coalesce((select version from set_up_versions where customer_id = ${customerId}), 0)`

/** Changes of the platform's shared accounts are counted too. */
const platformVersion = versionOf(String(PLATFORM))

/** Version columns for a cached row. `customerId` names the owner's column, which is null for the platform's accounts. */
export const setUpColumns = (customerId: string): string =>
  `${versionOf(customerId)} + ${platformVersion} as "setUpVersion", ${platformVersion} as "platformVersion"`

export const SetUpFields = { setUpVersion: Schema.Int, platformVersion: Schema.Int }

/**
 * For statements about requests `r`, whose column `set_up` is the version that the request was prepared with (null: any).
 * The join finds the current version by primary key; the condition holds for requests that have it.
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
 * The newest version of each customer's set-up that this process has seen. A cached entry is used until a newer version
 * is seen. A statement that serves a request compares the request's version with the store's, so this process also learns
 * of changes that no notification brought, before the statement does anything.
 */
export class SetUpVersions extends Context.Service<
  SetUpVersions,
  {
    /** Remembers the versions of a row that was just read. */
    readonly note: (
      customerId: number | null,
      read: { readonly setUpVersion: number; readonly platformVersion: number }
    ) => void
    readonly isCurrent: (read: Versioned) => boolean
    /** Remembers that the store has a newer version than this, and fails. */
    readonly changed: (customerId: number, since: number | null) => Effect.Effect<never, SetUpChanged>
  }
>()("peyk/layers/postgres/cache/SetUpVersions") {
  static readonly layer = Layer.sync(SetUpVersions, () => {
    const newest = new BoundedMap<number, number>(CAPACITY)
    const seen = (customerId: number, version: number) => {
      newest.set(customerId, Math.max(newest.get(customerId) ?? 0, version))
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
