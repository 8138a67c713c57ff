import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import type { Plan } from "../../src/domain/customer/Customer.ts"
import { SharedServices } from "../../src/layers/graphs/SharedServices.ts"
import { ManagementLive } from "../../src/layers/graphs/Management.ts"
import { MasterKey } from "../../src/layers/crypto/Crypto.ts"
import {
  liveMessageStore,
  MessagesLive,
  LiveMessagePorts,
  messageGraph,
  type ReplaceableMessagePorts,
  MessagesSandbox
} from "../../src/layers/graphs/MessageGraph.ts"
import { SimulatorSql } from "../../src/layers/provider/SimulatorSql.ts"
import { ReportingSql } from "../../src/layers/postgres/Pools.ts"
import { ReadSql } from "../../src/layers/postgres/Replica.ts"
import { timerGraph } from "../../src/layers/graphs/TimerGraph.ts"
import {
  LivePorts,
  liveStore,
  VerificationsSandbox,
  verificationGraph,
  type ReplaceablePorts
} from "../../src/layers/graphs/VerificationGraph.ts"
import { Guard } from "../../src/services/guard/Guard.ts"
import { Accounts } from "../../src/services/account/Accounts.ts"
import { CustomerRecords } from "../../src/services/customer/CustomerRecords.ts"
import { Wallets } from "../../src/services/Wallets.ts"
import { defaultSettings, Settings, type SettingsShape } from "../../src/services/Settings.ts"
import { TimerRunner } from "../../src/services/timer/TimerRunner.ts"
import { insertSimulatorSetUp } from "./SimulatorSetUp.ts"

const TestMasterKey = MasterKey.layer(Redacted.make(new Uint8Array(32).fill(7)))

const TABLES = [
  "timers",
  "events",
  "idempotency_keys",
  "simulator_messages",
  "request_blocks",
  "verifications",
  "messages",
  "phone_counters",
  "platform_phone_counters",
  "monthly_counters",
  "key_windows",
  "wallets",
  "ledger",
  "retention",
  "guard_settings",
  "guard_entries",
  "guard_rounds",
  "guard_segments",
  "guard_budgets",
  "guard_alarms",
  "guard_bombed_phones",
  "guard_days",
  "activity_slots",
  "code_sums",
  "alert_settings",
  "alert_recipients",
  "alert_subjects",
  "alerts",
  "alert_deliveries",
  "alert_windows",
  // Nobody else's rounds find them.
  "webhook_deliveries",
  "webhook_endpoints"
]

const emptyTables = `do $$ begin
  ${TABLES.map((table) => `delete from ${table};`).join(" ")}
  update account_pace set slots = '{}', slot_customers = '{}', failures = 0, cooldowns = 0, cooling_until = null,
    text_failures = 0, text_cooldowns = 0, texts_cooling_until = null, next_start_at = null;
end $$`

/** Tests of one file share a database, one after the other: each starts with nothing due and nothing sent. */
const EmptyStore = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql.unsafe(emptyTables)))
)

/** Limits and paces have tests of their own, which set them. */
const unlimited: Partial<SettingsShape> = {
  phoneHourLimit: 0,
  phoneDayLimit: 0,
  platformPhoneDayLimit: 0,
  messagePhoneHourLimit: 0,
  messagePhoneDayLimit: 0,
  accountGapMillis: 0,
  accountRateEitaa: 0,
  accountRateBale: 0,
  accountRateSoroushplus: 0,
  accountRateRubika: 0,
  accountRateTelegram: 0,
  accountRateVoice: 0
}

/** The shared services of live and sandbox, over a test database. */
export const testInfrastructure = (settings: Partial<SettingsShape> = {}) =>
  Layer.mergeAll(SharedServices, ManagementLive).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        TestMasterKey,
        SimulatorSql,
        NodeCrypto.layer,
        Layer.effect(ReportingSql, SqlClient.SqlClient),
        Layer.effect(ReadSql, SqlClient.SqlClient)
      )
    ),
    Layer.provideMerge(Layer.succeed(Settings, { ...defaultSettings, ...unlimited, ...settings }))
  )

/** A clock that stands at this instant. */
const clockAt = (instant: number) =>
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(instant)), TestClock.layer())

/** One process with a clock of its own (by default at the epoch): the live use cases (messages too) and their timers, with some of the ports replaced. */
export const testProcess = <A extends ReplaceablePorts | ReplaceableMessagePorts>(
  replaced: Layer.Layer<A>,
  settings: Partial<SettingsShape> = {},
  startsAt = 0,
  /** Off, as it has tests of its own, and timers that others do not expect. */
  guard: Layer.Layer<Guard, never, Layer.Services<typeof Guard.layer>> = Guard.layerOff
) => {
  const live = verificationGraph(liveStore, Layer.mergeAll(LivePorts, guard, replaced))
  const messages = messageGraph(liveMessageStore, Layer.merge(LiveMessagePorts, replaced))
  const timers = timerGraph({
    live,
    messages,
    sandbox: VerificationsSandbox,
    sandboxMessages: MessagesSandbox
  })
  return Layer.mergeAll(live, messages, timers).pipe(
    Layer.provideMerge(testInfrastructure(settings)),
    Layer.provideMerge(clockAt(startsAt)),
    Layer.provideMerge(EmptyStore)
  )
}

/** The sandbox of one process, with a clock of its own. */
export const sandboxProcess = () => {
  const live = verificationGraph(liveStore, LivePorts)
  const timers = timerGraph({
    live,
    messages: MessagesLive,
    sandbox: VerificationsSandbox,
    sandboxMessages: MessagesSandbox
  })
  return Layer.mergeAll(VerificationsSandbox, MessagesSandbox, timers).pipe(
    Layer.provideMerge(testInfrastructure()),
    Layer.provideMerge(clockAt(0)),
    Layer.provideMerge(EmptyStore)
  )
}

/** A customer with one simulator account for each channel, and that order as its default route. */
export const makeCustomer = Effect.fnUntraced(function* (
  channels: ReadonlyArray<Channel> = ["bale", "eitaa", "sms"],
  plan: Plan = "start"
) {
  const { id } = yield* (yield* CustomerRecords).create("test", plan)
  yield* Effect.orDie((yield* Wallets).topUp(id, 1_000_000))
  yield* insertSimulatorSetUp(id, channels)
  return id
})

/** Connects a simulator account of the platform, which customers of the start plan share. */
export const connectShared = Effect.fnUntraced(function* (channel: Channel) {
  const { connect } = yield* Accounts
  const account = { channel, provider: "simulator", label: "Platform", settings: {}, isDefault: false }
  yield* Effect.orDie(connect(null, account))
})

/** Does what is due, and returns how much that was. */
export const runDue = Effect.flatMap(TimerRunner, (timers) => timers.runDue)
