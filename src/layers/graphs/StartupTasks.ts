import { Clock, Effect, Layer } from "effect"
import { BotInboxStore } from "../../services/account/BotInboxes.ts"
import { platformRounds, PlatformTimers } from "../../services/timer/TimerStore.ts"
import type { Configuration } from "../config/Configuration.ts"
import { PlatformTimersSql } from "../timer/PlatformTimersSql.ts"
import { emptySimulator } from "../provider/SimulatorSql.ts"
import { hasSimulator } from "./Infrastructure.ts"

/** At every start: the settings decide whether updates are posted or polled, and they may have changed. */
export const scheduleInboxChecks = Layer.effectDiscard(
  Effect.gen(function* () {
    const inboxes = yield* BotInboxStore
    yield* inboxes.wakeAll(yield* Clock.currentTimeMillis)
  })
)

export const emptySimulatorThatIsOff = (configuration: Configuration) =>
  hasSimulator(configuration) ? Layer.empty : Layer.effectDiscard(emptySimulator)

export const scheduleRounds = Layer.effectDiscard(
  Effect.gen(function* () {
    const timers = yield* PlatformTimers
    const now = yield* Clock.currentTimeMillis
    for (const round of platformRounds) yield* timers.schedule(round, now)
  })
).pipe(Layer.provide(PlatformTimersSql))
