import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { retryAfterSeconds } from "../../domain/Admission.ts"
import { TooManySignIns } from "../../domain/Errors.ts"
import { FAILURE_WINDOW_MILLIS, MAX_FAILURES } from "../../domain/SignIn.ts"
import { SignInLimits, type SignInOrigin } from "../../services/manage/SignInLimits.ts"
import { InstantColumn, rowsOf, timestamp } from "../SqlRows.ts"

const WindowRow = Schema.Struct({ endsAt: InstantColumn })

/** Addresses that are nobody's here need not be kept. */
const emailKey = ({ email }: SignInOrigin): string =>
  `email:${createHash("sha256").update(email).digest("base64url")}`
const networkKey = ({ network }: SignInOrigin): string | null => (network === null ? null : `ip:${network}`)

export const SignInLimitsSql = Layer.effect(
  SignInLimits,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const windowRows = rowsOf(WindowRow)

    /** Limit N admits exactly N in a window, which opens with the first of them and lasts its full length. */
    const takeOne = Effect.fnUntraced(function* (origin: string, instant: number) {
      const now = timestamp(instant)
      const granted = yield* windowRows(sql`
        insert into sign_in_failures as f (origin, ends_at, used)
        values (${origin}, ${timestamp(instant + FAILURE_WINDOW_MILLIS)}, 1)
        on conflict (origin) do update set
          used = case when f.ends_at > ${now}::timestamptz then f.used + 1 else 1 end,
          ends_at = case when f.ends_at > ${now}::timestamptz then f.ends_at else excluded.ends_at end
        where f.ends_at <= ${now}::timestamptz or f.used < ${MAX_FAILURES}
        returning ends_at as "endsAt"`)
      if (granted.length > 0) return
      const [full] = yield* windowRows(
        sql`select ends_at as "endsAt" from sign_in_failures where origin = ${origin}`
      )
      return yield* new TooManySignIns({
        retryAfterSeconds: retryAfterSeconds(full?.endsAt ?? instant, instant)
      })
    })

    const giveBack = (network: string) =>
      Effect.orDie(sql`
        update sign_in_failures set used = greatest(0, used - 1) where origin = ${network}`)

    return SignInLimits.of({
      // The network first: one that is refused already cannot use up other people's addresses.
      take: Effect.fnUntraced(function* (origin, now) {
        const network = networkKey(origin)
        if (network !== null) yield* takeOne(network, now)
        yield* takeOne(emailKey(origin), now)
      }),

      succeeded: Effect.fnUntraced(function* (origin) {
        const network = networkKey(origin)
        yield* Effect.orDie(sql`delete from sign_in_failures where origin = ${emailKey(origin)}`)
        if (network !== null) yield* giveBack(network)
      })
    })
  })
)
