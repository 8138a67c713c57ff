import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DAY_MILLIS } from "../../domain/Instant.ts"
import { lowestIdFrom } from "../../domain/Paging.ts"
import type { Phone } from "../../domain/Phone.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { GuardList } from "../../domain/guard/GuardSettings.ts"
import type { PhoneLookup } from "../../services/PhoneRecords.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { refusedPhoneHash } from "./RequestRecordsSql.ts"

/** Codes of this age still say something of a phone. */
const COUNTED_MILLIS = 90 * DAY_MILLIS
/** A lookup reads no more codes of a phone: the newest ones. */
const MAX_CODES = 1000
/** No index finds codes of the sandbox by phone: a lookup reads so many of a customer's newest codes. */
const MAX_LOOKED_THROUGH = 10_000

const CodesRow = Schema.Struct({
  codes24h: Schema.Int,
  ended: Schema.Int,
  verified: Schema.Int,
  lastVerifiedAt: Schema.NullOr(InstantColumn),
  firstSeen: Schema.NullOr(InstantColumn)
})
const GuardRow = Schema.Struct({ isBombed: Schema.Boolean, listed: Schema.NullOr(GuardList) })

/** Reads what one customer's own records say of a phone, by indexes, and bounded. */
export const makeLookUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = yield* MasterKey
  const codesRows = rowsOf(CodesRow)
  const guardRows = rowsOf(GuardRow)

  /** The codes of the mode to the phone, as `v`. */
  const codesOf = (customerId: number, mode: KeyMode, phone: Phone, since: string) =>
    mode === "live"
      ? sql`(select * from verifications where customer_id = ${customerId} and phone = ${phone}
          and mode = 'live' and id >= ${since}::uuid order by id desc limit ${MAX_CODES}::int) v`
      : sql`(select * from (
            select * from verifications where customer_id = ${customerId} and id >= ${since}::uuid
            order by id desc limit ${MAX_LOOKED_THROUGH}::int) newest
          where mode = 'test' and phone = ${phone} order by id desc limit ${MAX_CODES}::int) v`

  const sent = Effect.fnUntraced(function* (customerId: number, mode: KeyMode, phone: Phone, now: number) {
    const codes = codesOf(customerId, mode, phone, lowestIdFrom(now - COUNTED_MILLIS))
    // Codes of the sandbox that are older are not looked for.
    const firstCode =
      mode === "live"
        ? sql`(select created_at from verifications where customer_id = ${customerId} and phone = ${phone}
            and mode = 'live' order by id limit 1)`
        : sql`min(v.created_at)`
    const [row] = yield* codesRows(sql`
      select count(*) filter (where v.created_at > ${timestamp(now - DAY_MILLIS)}::timestamptz)::int as "codes24h",
        count(*) filter (where v.status not in ('pending', 'queued')
          or v.expires_at <= ${timestamp(now)}::timestamptz)::int as ended,
        count(*) filter (where v.status = 'verified')::int as verified,
        max(v.verified_at) as "lastVerifiedAt",
        least(${firstCode}, (
          select m.created_at from (
            select id, mode, created_at from messages where customer_id = ${customerId} and phone = ${phone}
            order by id limit ${MAX_LOOKED_THROUGH}::int) m
          where m.mode = ${mode} order by m.id limit 1)) as "firstSeen"
      from ${codes}`)
    return row ?? (yield* Effect.die("a lookup returned no row"))
  })

  /** In a statement of its own: where the set-up is apart, these rows are not next to the codes. */
  const guarded = Effect.fnUntraced(function* (customerId: number, phone: Phone, now: number) {
    const [row] = yield* guardRows(sql`
      select exists (
          select from guard_bombed_phones where customer_id = ${customerId}
            and phone_hash = ${refusedPhoneHash(key, customerId, phone)}::uuid
            and refused_at > ${timestamp(now - DAY_MILLIS)}::timestamptz) as "isBombed", (
          select list from guard_entries where customer_id = ${customerId}
            and (type = 'phone' and value = ${phone} or type = 'prefix' and starts_with(${phone}, value))
          order by list desc limit 1) as listed`)
    return row ?? (yield* Effect.die("a lookup returned no row"))
  })

  return Effect.fnUntraced(function* (customerId: number, mode: KeyMode, phone: Phone) {
    const now = yield* Clock.currentTimeMillis
    const { ended, verified, ...codes } = yield* sent(customerId, mode, phone, now)
    const guard = mode === "live" ? yield* guarded(customerId, phone, now) : { isBombed: false, listed: null }
    const lookup: PhoneLookup = {
      ...codes,
      verifiedRate: ended === 0 ? null : verified / ended,
      ...guard
    }
    return lookup
  })
})
