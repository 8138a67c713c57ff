import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { TooManySignIns } from "../../domain/Errors.ts"
import { retryAfterSeconds } from "../../domain/customer/Admission.ts"
import {
  FAILURE_WINDOW_MILLIS,
  MAX_FAILURES_OF_BROWSER,
  MAX_FAILURES_OF_EMAIL,
  MAX_FAILURES_OF_NETWORK,
  MAX_FAILURES_OF_PAIR
} from "../../domain/user/SignInLimits.ts"
import { APP_CODE_WINDOW_MILLIS, MAX_WRONG_APP_CODES } from "../../domain/user/SecondFactor.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { AppCodeLimits } from "../../services/user/SecondFactors.ts"
import { SignInLimits, type SignInOrigin } from "../../services/user/SignIns.ts"

const WindowRow = Schema.Struct({ endsAt: InstantColumn })

/** Unknown e-mail addresses need not be stored. */
const hashOf = (email: string): string => createHash("sha256").update(email).digest("base64url")

/** One of the rows that count a sign-in. */
interface Counter {
  readonly key: string
  readonly limit: number
  /** The hash of the e-mail address whose password reset clears the failures; null: none does. */
  readonly emailHash: string | null
  readonly windowMillis?: number
}

const appCodesOf = (userId: string): Counter => ({
  key: `app_code:${userId}`,
  limit: MAX_WRONG_APP_CODES,
  emailHash: null,
  windowMillis: APP_CODE_WINDOW_MILLIS
})

/** The narrowest first: its refusals do not count in the wider ones. */
const countersOf = ({ email, network, browser = null }: SignInOrigin): ReadonlyArray<Counter> => {
  const emailHash = hashOf(email)
  if (browser !== null) return [{ key: `browser:${browser}`, limit: MAX_FAILURES_OF_BROWSER, emailHash }]
  const ofNetwork =
    network === null ? [] : [{ key: `ip:${network}`, limit: MAX_FAILURES_OF_NETWORK, emailHash: null }]
  return [
    { key: `pair:${emailHash}:${network ?? ""}`, limit: MAX_FAILURES_OF_PAIR, emailHash },
    ...ofNetwork,
    { key: `email:${emailHash}`, limit: MAX_FAILURES_OF_EMAIL, emailHash }
  ]
}

const keysOf = (counters: ReadonlyArray<Counter>): ReadonlyArray<string> => counters.map(({ key }) => key)

/** After a password reset its user can sign in again from everywhere. */
export const forgetFailures = (sql: SqlClient.SqlClient, email: string) =>
  Effect.orDie(sql`delete from sign_in_failures where email_hash = ${hashOf(email)}`)

/** Counters over all processes. */
const makeCounters = Effect.map(SqlClient.SqlClient, (sql) => {
  const windowRows = rowsOf(WindowRow)

  /** Limit N admits exactly N in a window, which begins with the first of them and lasts its full length. */
  const takeOne = Effect.fnUntraced(function* (
    { key, limit, emailHash, windowMillis = FAILURE_WINDOW_MILLIS }: Counter,
    instant: number
  ) {
    const now = timestamp(instant)
    const granted = yield* windowRows(sql`
      insert into sign_in_failures as f (origin, email_hash, ends_at, used)
      values (${key}, ${emailHash}, ${timestamp(instant + windowMillis)}, 1)
      on conflict (origin) do update set
        used = case when f.ends_at > ${now}::timestamptz then f.used + 1 else 1 end,
        ends_at = case when f.ends_at > ${now}::timestamptz then f.ends_at else excluded.ends_at end
      where f.ends_at <= ${now}::timestamptz or f.used < ${limit}
      returning ends_at as "endsAt"`)
    if (granted.length > 0) return
    const [full] = yield* windowRows(
      sql`select ends_at as "endsAt" from sign_in_failures where origin = ${key}`
    )
    return yield* new TooManySignIns({
      retryAfterSeconds: retryAfterSeconds(full?.endsAt ?? instant, instant)
    })
  })

  const refund = (counters: ReadonlyArray<Counter>) =>
    counters.length === 0
      ? Effect.void
      : Effect.orDie(sql`
          update sign_in_failures set used = greatest(0, used - 1)
          where origin = any(${keysOf(counters)}::text[])`)

  return { takeOne, refund }
})

export const SignInLimitsSql = Layer.effect(
  SignInLimits,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const windowRows = rowsOf(WindowRow)
    const { takeOne, refund } = yield* makeCounters

    /** Only reads, so that refused sign-ins leave no rows, whatever e-mail addresses they name. */
    const refuseIfFull = Effect.fnUntraced(function* (counters: ReadonlyArray<Counter>, instant: number) {
      const limits = counters.map(({ limit }) => limit)
      const [full] = yield* windowRows(sql`
        select f.ends_at as "endsAt"
        from unnest(${keysOf(counters)}::text[], ${limits}::int[]) as c (origin, max_used)
        join sign_in_failures f on f.origin = c.origin and f.used >= c.max_used
        where f.ends_at > ${timestamp(instant)}::timestamptz order by f.ends_at desc limit 1`)
      if (full === undefined) return
      return yield* new TooManySignIns({ retryAfterSeconds: retryAfterSeconds(full.endsAt, instant) })
    })

    return SignInLimits.of({
      take: (origin, now) => {
        const counters = countersOf(origin)
        const takeEach = Effect.forEach(
          counters,
          (counter, index) => Effect.tapError(takeOne(counter, now), () => refund(counters.slice(0, index))),
          { discard: true }
        )
        return Effect.andThen(refuseIfFull(counters, now), takeEach)
      },

      refund: (origin) => Effect.asVoid(refund(countersOf(origin))),

      succeeded: Effect.fnUntraced(function* (origin) {
        const counters = countersOf(origin)
        const ofEmail = counters.filter(({ emailHash }) => emailHash !== null)
        const ofNetwork = counters.filter(({ emailHash }) => emailHash === null)
        yield* Effect.orDie(sql`
          with forgotten as (delete from sign_in_failures where origin = any(${keysOf(ofEmail)}::text[]))
          update sign_in_failures set used = greatest(0, used - 1)
          where origin = any(${keysOf(ofNetwork)}::text[])`)
      })
    })
  })
)

export const AppCodeLimitsSql = Layer.effect(
  AppCodeLimits,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { takeOne, refund } = yield* makeCounters
    return AppCodeLimits.of({
      take: (userId, now) => takeOne(appCodesOf(userId), now),
      refund: (userId) => Effect.asVoid(refund([appCodesOf(userId)])),
      forget: (userId) =>
        Effect.asVoid(
          Effect.orDie(sql`delete from sign_in_failures where origin = ${appCodesOf(userId).key}`)
        )
    })
  })
)
