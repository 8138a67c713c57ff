import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { formatRequestPosition } from "../../src/domain/LoggedRequest.ts"
import { formatTimePosition, idAt } from "../../src/domain/Paging.ts"
import { AuditLogSql } from "../../src/layers/activity/AuditLogSql.ts"
import { PhoneRecordsSql } from "../../src/layers/activity/PhoneRecordsSql.ts"
import { RequestRecordsSql } from "../../src/layers/activity/RequestRecordsSql.ts"
import { AlertsSql } from "../../src/layers/alert/AlertsSql.ts"
import { MasterKey } from "../../src/layers/crypto/Crypto.ts"
import { WalletsSql } from "../../src/layers/money/WalletsSql.ts"
import { ReadSql } from "../../src/layers/postgres/Replica.ts"
import { WebhooksSql } from "../../src/layers/webhook/WebhooksSql.ts"
import { AllowsPrivateAddresses } from "../../src/layers/network/CustomerUrls.ts"
import { Alerts } from "../../src/services/alert/Alerts.ts"
import { AuditLog } from "../../src/services/activity/AuditLog.ts"
import { PhoneRecords } from "../../src/services/PhoneRecords.ts"
import { RequestRecords } from "../../src/services/activity/RequestLog.ts"
import { Wallets } from "../../src/services/Wallets.ts"
import { Webhooks } from "../../src/services/webhook/Webhooks.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { recordingSql } from "./RecordedSql.ts"

const CUSTOMER = 1
const page = { limit: 25, after: null }
const at = 1_800_010_000_000
const after = { limit: 25, after: formatTimePosition({ at, id: idAt(at) }) }
const oldest = { order: "oldest" as const }

type Lists = Alerts | AuditLog | PhoneRecords | RequestRecords | Wallets | Webhooks

/** Each list of the console and the API, on its first page and on a later one. */
export const lists: Readonly<Record<string, Effect.Effect<unknown, unknown, Lists>>> = {
  "the deliveries of a webhook": Webhooks.use((webhooks) => webhooks.deliveries(CUSTOMER, 1, page)),
  "later deliveries of a webhook": Webhooks.use((webhooks) =>
    webhooks.deliveries(CUSTOMER, 1, { limit: 25, after: idAt(at) })
  ),
  "how a webhook's tries went": Webhooks.use((webhooks) => webhooks.history(CUSTOMER, 1, at)),
  alerts: Alerts.use((alerts) => alerts.list(CUSTOMER, page)),
  "later alerts": Alerts.use((alerts) => alerts.list(CUSTOMER, { limit: 25, after: idAt(at) })),
  "the audit log": AuditLog.use((log) => log.list(CUSTOMER, page)),
  "the audit log, later": AuditLog.use((log) => log.list(CUSTOMER, after)),
  "the audit log, the oldest first": AuditLog.use((log) => log.list(CUSTOMER, { ...page, ...oldest })),
  "the audit log of one thing": AuditLog.use((log) =>
    log.list(CUSTOMER, { ...page, subjectType: "routing", subjectId: "1" })
  ),
  "the audit log of all customers": AuditLog.use((log) => log.list(null, page)),
  "the ledger": Wallets.use((wallets) => wallets.ledger(CUSTOMER, page)),
  "the ledger, the oldest first": Wallets.use((wallets) => wallets.ledger(CUSTOMER, { ...page, ...oldest })),
  "the requests of one customer": RequestRecords.use((requests) => requests.list(CUSTOMER, page)),
  "later requests of one customer": RequestRecords.use((requests) =>
    requests.list(CUSTOMER, { limit: 25, after: formatRequestPosition({ at, block: idAt(at), number: 1 }) })
  ),
  "the requests of one customer, the oldest first": RequestRecords.use((requests) =>
    requests.list(CUSTOMER, { ...page, ...oldest })
  ),
  "the requests of one customer that failed": RequestRecords.use((requests) =>
    requests.list(CUSTOMER, { ...page, statuses: [400, 499] })
  ),
  phones: PhoneRecords.use((phones) => phones.list(CUSTOMER, page)),
  "later phones": PhoneRecords.use((phones) => phones.list(CUSTOMER, after)),
  "phones by their last digits": PhoneRecords.use((phones) =>
    phones.list(CUSTOMER, { ...page, lastFour: "0001" })
  ),
  "requests of all customers": RequestRecords.use((requests) => requests.list(null, page))
}

/** The statements that a list makes of a store that returns nothing. */
export const statementsOf = Effect.fnUntraced(function* (list: Effect.Effect<unknown, unknown, Lists>) {
  const recording = recordingSql([])
  const client: SqlClient.SqlClient = yield* recording.client
  const services = Layer.mergeAll(
    AlertsSql,
    AuditLogSql,
    PhoneRecordsSql,
    RequestRecordsSql,
    WalletsSql,
    WebhooksSql
  ).pipe(
    Layer.provide([
      Layer.succeed(SqlClient.SqlClient, client),
      Layer.succeed(ReadSql, client),
      Layer.succeed(AllowsPrivateAddresses, false),
      MasterKey.layer(Redacted.make(new Uint8Array(32).fill(7)))
    ]),
    Layer.provide(NodeCrypto.layer)
  )
  yield* Effect.exit(Effect.provide(list, services))
  return recording.statements
})
