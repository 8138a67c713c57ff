import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { timingSafeEqual } from "node:crypto"
import type { TimerKind } from "../../domain/Timer.ts"
import { INBOUND_PATH } from "../../http/system/InboundRoutes.ts"
import { type KeyPurpose, MasterKey } from "../crypto/Crypto.ts"
import { first, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { ProviderEndpoints } from "../provider/ProviderEndpoints.ts"
import { BotAddresses, BotInboxStore } from "../../services/account/BotInboxes.ts"

type Inbox = Parameters<BotAddresses["Service"]["webhookOf"]>[0]

/** `7-<256 bits>`: impossible to guess, and nothing of it needs to be stored. */
const TOKEN = /^([1-9]\d{0,9})-[\w-]{43}$/

const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Addresses depend on the master secret; a higher generation gives an account another one. */
export const BotAddressesMac = Layer.effect(
  BotAddresses,
  Effect.gen(function* () {
    const key = yield* MasterKey
    const { publicUrl } = yield* ProviderEndpoints
    const mac = (purpose: KeyPurpose, { accountId, generation }: Inbox): string =>
      Buffer.from(key.mac(purpose, `${accountId}:${generation}`)).toString("base64url")
    const tokenOf = (inbox: Inbox): string => `${inbox.accountId}-${mac("inbox-address", inbox)}`
    const secretOf = (inbox: Inbox): string => mac("inbox-secret", inbox)
    const pathOf = (inbox: Inbox): string => `${INBOUND_PATH}/${tokenOf(inbox)}`
    return BotAddresses.of({
      pathOf,
      webhookOf: (inbox) =>
        publicUrl === null ? null : { url: `${publicUrl}${pathOf(inbox)}`, secret: secretOf(inbox) },
      accountOf: (token) => {
        const id = Number(TOKEN.exec(token)?.[1] ?? Number.NaN)
        return id <= 2_147_483_647 ? id : null
      },
      isGenuine: (inbox, token) => isSame(token, tokenOf(inbox)),
      isSecret: (inbox, given) => isSame(given, secretOf(inbox))
    })
  })
)

const TIMER_KIND: TimerKind = "bot_updates"

const InboxRow = Schema.Struct({
  accountId: Schema.Int,
  cursor: Schema.NullOr(Schema.String),
  generation: Schema.Int
})

export const BotInboxStoreSql = Layer.effect(
  BotInboxStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const inboxRows = rowsOf(InboxRow)
    const columns = sql.literal(`i.account_id as "accountId", i.cursor, i.generation`)
    return BotInboxStore.of({
      find: (accountId) =>
        first(inboxRows(sql`select ${columns} from account_inboxes i where i.account_id = ${accountId}`)),

      loadLeased: ({ customerId, subject, leaseToken }) =>
        first(
          inboxRows(sql`
            select ${columns} from timers t join account_inboxes i on i.subject = t.subject
            where t.customer_id = ${customerId} and t.kind = ${TIMER_KIND} and t.subject = ${subject}::uuid
              and t.lease_token = ${leaseToken}::uuid`)
        ),

      moveOn: ({ customerId, subject, leaseToken }, { cursor, generation }, dueAt, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with moved as (
              update timers t set lease_token = null, claimable_at = case
                when i.generation = ${generation} then ${timestamp(dueAt)}::timestamptz else ${timestamp(now)} end
              from account_inboxes i
              where t.customer_id = ${customerId} and t.kind = ${TIMER_KIND} and t.subject = ${subject}::uuid
                and t.lease_token = ${leaseToken}::uuid and i.subject = t.subject
              returning t.subject)
            update account_inboxes i set cursor = ${cursor} from moved m where i.subject = m.subject`)
        ),

      wakeAll: (now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            update timers set claimable_at = ${timestamp(now)}
            where kind = ${TIMER_KIND} and lease_token is null and claimable_at > ${timestamp(now)}`)
        )
    })
  })
)
