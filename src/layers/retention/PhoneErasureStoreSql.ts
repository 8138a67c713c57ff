import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { ERASED_PHONE } from "../../domain/Phone.ts"
import { PhoneErasureStore } from "../../services/PhoneErasures.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { refusedPhoneHash } from "../activity/RequestRecordsSql.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { erasedMessage, erasedVerification } from "./RecordWorkSql.ts"

const UnderWayRow = Schema.Struct({
  kind: Schema.Literals(["verification", "message"]),
  mode: KeyMode,
  id: Schema.String
})
const ErasedRow = Schema.Struct({
  verifications: Schema.Int,
  messages: Schema.Int,
  contacts: Schema.Int
})

export const PhoneErasureStoreSql = Layer.effect(
  PhoneErasureStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const key = yield* MasterKey
    const underWayRows = rowsOf(UnderWayRow)
    const erasedRows = rowsOf(ErasedRow)
    return PhoneErasureStore.of({
      inProgress: (customerId, phone) =>
        underWayRows(sql`
          select 'verification' as kind, mode, id from verifications
          where customer_id = ${customerId} and phone = ${phone} and status in ('pending', 'queued')
          union all
          select 'message', mode, id from messages
          where customer_id = ${customerId} and phone = ${phone} and status in ('queued', 'sending')`),

      erase: Effect.fnUntraced(function* (customerId, phone) {
        const hash = refusedPhoneHash(key, customerId, phone)
        const [row] = yield* erasedRows(sql`
          with verification as (
            update verifications r set phone = ${ERASED_PHONE}, ${erasedVerification(sql)}
            where customer_id = ${customerId} and phone = ${phone} and held = 0
              and status not in ('pending', 'queued')
            returning true),
          message as (
            update messages r set phone = ${ERASED_PHONE}, ${erasedMessage(sql)}
            where customer_id = ${customerId} and phone = ${phone} and held = 0
              and status not in ('queued', 'sending')
            returning true),
          contact as (
            delete from contact_links l using sending_accounts a
            where a.id = l.account_id and a.customer_id = ${customerId} and l.phone = ${phone}
            returning true),
          alerted as (
            delete from alert_recipients
            where customer_id = ${customerId} and type = 'phone' and address = ${phone}),
          bombed as (
            delete from guard_bombed_phones where customer_id = ${customerId} and phone_hash = ${hash}::uuid),
          simulated as (delete from simulator_messages where phone = ${phone}),
          refused as (
            update request_blocks set refused_phones = array_replace(refused_phones, ${hash}::uuid, null)
            where customer_id = ${customerId} and refused_phones @> array[${hash}::uuid])
          select (select count(*)::int from verification) as verifications,
            (select count(*)::int from message) as messages, (select count(*)::int from contact) as contacts`)
        return row ?? (yield* Effect.die("an erasure returned no row"))
      })
    })
  })
)
