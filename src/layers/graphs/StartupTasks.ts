import { Clock, Effect, Layer } from "effect"
import { AccountCreditTimers } from "../../services/account/AccountCredits.ts"
import { BotInboxStore } from "../../services/account/BotInboxStore.ts"
import { RetentionStore } from "../../services/retention/RetentionStore.ts"
import { AccountCreditTimersSql } from "../account/AccountCreditTimersSql.ts"
import type { Configuration } from "../config/Configuration.ts"
import { RetentionStoreSql } from "../retention/RetentionStoreSql.ts"
import { emptySimulator } from "../verification/SimulatorSql.ts"
import { hasSimulator } from "./Infrastructure.ts"

/** At every start: the settings decide whether updates are posted or polled, and they may have changed. */
export const scheduleInboxChecks = Layer.effectDiscard(
  Effect.gen(function* () {
    const inboxes = yield* BotInboxStore
    yield* inboxes.wakeAll(yield* Clock.currentTimeMillis)
  })
)

export const scheduleCredits = Layer.effectDiscard(
  Effect.gen(function* () {
    const credits = yield* AccountCreditTimers
    yield* credits.schedule(yield* Clock.currentTimeMillis)
  })
).pipe(Layer.provide(AccountCreditTimersSql))

export const emptySimulatorThatIsOff = (configuration: Configuration) =>
  hasSimulator(configuration) ? Layer.empty : Layer.effectDiscard(emptySimulator)

export const scheduleRetention = Layer.effectDiscard(
  Effect.gen(function* () {
    const retention = yield* RetentionStore
    yield* retention.schedule(yield* Clock.currentTimeMillis)
  })
).pipe(Layer.provide(RetentionStoreSql))
