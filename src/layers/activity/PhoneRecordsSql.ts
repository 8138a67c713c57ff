import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  formatTimePosition,
  HIGHEST_ID,
  instantOf,
  LOWEST_ID,
  type Page,
  parseTimePosition
} from "../../domain/Paging.ts"
import { ERASED_PHONE, Phone } from "../../domain/Phone.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { type FoundPhone, PhoneRecords } from "../../services/PhoneRecords.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { makeLookUp } from "./PhoneLookupsSql.ts"

/** How many codes, and how many messages, one page reads. */
const MAX_LOOKED_THROUGH = 10_000

const FoundRow = Schema.Struct({
  phone: Phone,
  kind: Schema.Literals(["verification", "message"]),
  id: Schema.String,
  status: Schema.String,
  createdAt: InstantColumn
})
const EdgeRow = Schema.Struct({ id: Schema.String })
const ContactRow = Schema.Struct({
  accountId: Schema.Int,
  label: Schema.String,
  channel: Channel,
  chatId: Schema.String,
  linkedAt: InstantColumn
})
const UseRow = Schema.Struct({
  kind: Schema.Literals(["code", "message"]),
  hourUsed: Schema.Int,
  hourEndsAt: Schema.NullOr(InstantColumn),
  dayUsed: Schema.Int,
  dayEndsAt: Schema.NullOr(InstantColumn)
})

/** Phones by their newest sends. The last digits of a phone have no index: every send would pay for it. */
const makeList = Effect.map(SqlClient.SqlClient, (sql) => {
  const foundRows = rowsOf(FoundRow)
  const edgeRows = rowsOf(EdgeRow)

  /** The newest id that is not searched: nothing is left out of either table before it. */
  const edgeBelow = (customerId: number, below: string) => {
    const idsOf = (table: "verifications" | "messages") => sql`
      (select id from ${sql(table)} where customer_id = ${customerId} and id < ${below}::uuid
      order by id desc offset ${MAX_LOOKED_THROUGH}::int limit 1)`
    return Effect.map(
      edgeRows(sql`${idsOf("verifications")} union all ${idsOf("messages")} order by id desc limit 1`),
      ([edge]) => edge?.id ?? null
    )
  }

  return Effect.fnUntraced(function* (
    customerId: number,
    search: {
      readonly lastFour?: string | undefined
      readonly limit: number
      readonly after: string | null
    }
  ) {
    const { lastFour, limit, after } = search
    const now = timestamp(yield* Clock.currentTimeMillis)
    const below = parseTimePosition(after)?.id ?? HIGHEST_ID
    const edge = yield* edgeBelow(customerId, below)
    const isSearched = sql`customer_id = ${customerId} and id < ${below}::uuid and id > ${edge ?? LOWEST_ID}::uuid
      and mode = 'live' and phone <> ${ERASED_PHONE}
      and (${lastFour ?? null}::text is null or right(phone, 4) = ${lastFour ?? null}::text)`
    const found = yield* foundRows(sql`
      select * from (
        select distinct on (phone) * from (
          select phone, 'verification' as kind, id, created_at as "createdAt",
            case when status in ('pending', 'queued') and expires_at <= ${now}::timestamptz then 'expired'
              else status end as status
          from verifications where ${isSearched}
          union all
          select phone, 'message', id, created_at, status from messages where ${isSearched}) sent
        order by phone, id desc) newest
      order by id desc limit ${limit + 1}::int`)
    return pageOf(found, limit, edge)
  })
})

const pageOf = (found: ReadonlyArray<FoundPhone>, limit: number, edge: string | null): Page<FoundPhone> => {
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  if (last !== undefined) return { items, next: formatTimePosition({ at: last.createdAt, id: last.id }) }
  if (edge === null) return { items, next: null }
  const at = instantOf(edge)
  return { items, next: formatTimePosition({ at, id: edge }), searchedTo: at }
}

export const PhoneRecordsSql = Layer.effect(
  PhoneRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const contactRows = rowsOf(ContactRow)
    const useRows = rowsOf(UseRow)
    return PhoneRecords.of({
      list: yield* makeList,
      lookUp: yield* makeLookUp,

      contacts: (customerId, phone) =>
        contactRows(sql`
          select a.id as "accountId", a.label, a.channel, l.chat_id as "chatId", l.linked_at as "linkedAt"
          from sending_accounts a join contact_links l on l.account_id = a.id and l.phone = ${phone}
          where a.customer_id = ${customerId} order by a.id`),

      uses: Effect.fnUntraced(function* (customerId, phone) {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const isOpen = (end: string) => sql`${sql(end)} > ${now}::timestamptz`
        return yield* useRows(sql`
          select kind,
            case when ${isOpen("hour_ends_at")} then hour_used else 0 end as "hourUsed",
            case when ${isOpen("hour_ends_at")} then hour_ends_at end as "hourEndsAt",
            case when ${isOpen("day_ends_at")} then day_used else 0 end as "dayUsed",
            case when ${isOpen("day_ends_at")} then day_ends_at end as "dayEndsAt"
          from phone_counters where customer_id = ${customerId} and phone = ${phone} order by kind`)
      })
    })
  })
)
