import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import { MasterKey } from "../../src/layers/crypto/Crypto.ts"
import { openSettings } from "../../src/layers/provider/ConnectedAccounts.ts"
import { Accounts } from "../../src/services/account/Accounts.ts"
import { CustomerRecords } from "../../src/services/customer/CustomerRecords.ts"
import { RoutingOrders } from "../../src/services/routing/RoutingOrders.ts"
import { Wallets } from "../../src/services/Wallets.ts"
import { scriptProviders } from "./ScriptedProviders.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { makeCustomer, testProcess } from "./TestGraph.ts"

/** What `makeCustomer` makes, by the use cases. */
const customerOfUseCases = Effect.fnUntraced(function* (channels: ReadonlyArray<Channel>) {
  const { id } = yield* (yield* CustomerRecords).create("test", "start")
  yield* (yield* Wallets).topUp(id, 1_000_000)
  for (const channel of channels) {
    const account = { channel, provider: "simulator", label: channel, settings: {}, isDefault: true }
    yield* (yield* Accounts).connect(id, account)
  }
  const steps = channels.flatMap((channel) => (channel === "telegram" ? [] : [{ channel }]))
  if (steps.length > 0) yield* (yield* RoutingOrders).save(id, steps, null)
  return id
})

interface TableRow {
  readonly table: string
  readonly row: Record<string, unknown>
}

const SINGULAR = ["id", "customer_id", "account_id", "sealed_settings"]

/** Every row of every table that names the customer or one of its accounts, without what is its own. */
const rowsOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly table: string; readonly column: string }>`
    select c.table_name as table, min(c.column_name) as column
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and (c.column_name in ('customer_id', 'account_id') or (c.table_name = 'customers' and c.column_name = 'id'))
    group by c.table_name order by 1`
  const rows: Array<TableRow> = []
  for (const { table, column } of tables) {
    const owners = sql`select id from sending_accounts where customer_id = ${customerId}`
    const isOwn =
      column === "account_id" ? sql`${sql(column)} in (${owners})` : sql`${sql(column)} = ${customerId}`
    const found = yield* sql<TableRow>`
      select ${table} as table, to_jsonb(t) - ${SINGULAR}::text[] as row from ${sql(table)} t where ${isOwn}
      order by to_jsonb(t) ->> 'channel', to_jsonb(t) ->> 'stripe'`
    rows.push(...found)
  }
  return rows
})

const settingsOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const key = yield* MasterKey
  const accounts = yield* sql<{ channel: string; provider: string; sealed: Uint8Array }>`
    select channel, provider, sealed_settings as sealed from sending_accounts
    where customer_id = ${customerId} order by id`
  return accounts.map(({ channel, provider, sealed }) => [
    channel,
    openSettings(key, { customerId, channel, provider }, sealed)
  ])
})

layer(TestDatabase, { excludeTestServices: true })("a customer of a test", (it) => {
  const lists: ReadonlyArray<ReadonlyArray<Channel>> = [
    ["bale", "eitaa", "sms"],
    ["voice", "telegram", "rubika", "soroushplus"],
    ["telegram"],
    []
  ]
  for (const channels of lists) {
    it.effect(`has the rows that the use cases write, over ${channels.join(", ") || "no channel"}`, () =>
      Effect.gen(function* () {
        const expected = yield* customerOfUseCases(channels)
        const made = yield* makeCustomer(channels)
        const rows = yield* rowsOf(made)
        assert.isAbove(rows.length, 16)
        assert.deepStrictEqual(rows, yield* rowsOf(expected))
        assert.deepStrictEqual(yield* settingsOf(made), yield* settingsOf(expected))
      }).pipe(Effect.provide(testProcess(scriptProviders().layer, {}, 1_772_323_200_000)))
    )
  }
})
