import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { ClockAgreement } from "../../services/ClockAgreement.ts"
import { gauge, withoutSpans } from "../../services/system/Observability.ts"
import { MaintenanceSql } from "./MaintenanceSql.ts"
import { decodedAs, InstantColumn } from "./SqlRows.ts"
import { isTemporary, withReason } from "./StoreAvailability.ts"
import { StartupError } from "../system/StartupError.ts"

/** Clocks that differ by more than this are apart. Tests that move a clock on purpose set it to infinity. */
export const ClockTolerance = Context.Reference<number>(
  "peyk/layers/postgres/ClockComparison/ClockTolerance",
  {
    defaultValue: () => 5000
  }
)

const WARN_MILLIS = 1000
const LOOK_PAUSE = "1 second"
/** How often this process's own clock is checked between two comparisons. */
const LOOKS = 5
const NANOS_PER_MILLI = 1e6
const MILLIS_PER_SECOND = 1000

/** How far this process's clock is ahead, and the possible error: the store read its clock at some time in between. */
interface Comparison {
  readonly aheadMillis: number
  readonly errorMillis: number
}

const ClockRows = Schema.Tuple([Schema.Struct({ now: InstantColumn })])

const compare = Effect.gen(function* () {
  const { sql } = yield* MaintenanceSql
  const clock = yield* Clock.Clock
  const begunAt: Instant = clock.currentTimeMillisUnsafe()
  const begunNanos = clock.monotonicTimeNanosUnsafe()
  // The only place that reads the store's clock. It is compared, and never used as the time.
  const [{ now }] = yield* decodedAs(ClockRows)(sql`select clock_timestamp() as now`)
  const errorMillis = Number(clock.monotonicTimeNanosUnsafe() - begunNanos) / NANOS_PER_MILLI / 2
  const comparison: Comparison = { aheadMillis: begunAt + errorMillis - now, errorMillis }
  return comparison
}).pipe(withoutSpans)

const isBeyond = ({ aheadMillis, errorMillis }: Comparison, millis: number): boolean =>
  Math.abs(aheadMillis) - errorMillis > millis

const describe = ({ aheadMillis }: Comparison): string => {
  const seconds = (Math.abs(aheadMillis) / MILLIS_PER_SECOND).toFixed(1)
  return `the clock of this machine is ${seconds} s ${aheadMillis > 0 ? "ahead of" : "behind"} PostgreSQL's`
}

type Agreement = "agrees" | "warned" | "apart"

const agreementOf = (comparison: Comparison, tolerance: number): Agreement => {
  if (isBeyond(comparison, tolerance)) return "apart"
  return isBeyond(comparison, WARN_MILLIS) ? "warned" : "agrees"
}

/** How the clocks compare now, also in words. */
export const compareClocks = Effect.gen(function* () {
  const comparison = yield* compare
  return { agreement: agreementOf(comparison, yield* ClockTolerance), description: describe(comparison) }
})

/** Notices when a clock is set: it then moves differently from elapsed time. */
const makeJumps = (clock: Clock.Clock, tolerance: number) => {
  const lead = () =>
    clock.currentTimeMillisUnsafe() - Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MILLI
  let known = lead()
  return {
    hasJumped: () => Math.abs(lead() - known) > tolerance,
    settle: () => {
      known = lead()
    }
  }
}

/** Two processes with different times would expire each other's codes, and send waiting messages early. */
const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const tolerance = yield* ClockTolerance
  const jumps = makeJumps(clock, tolerance)
  let newest = yield* Effect.mapError(
    compare,
    (error) =>
      new StartupError({
        message: `PostgreSQL cannot be asked for the time: ${withReason(error)}`,
        isTemporary: isTemporary(error)
      })
  )
  let isApart = false
  if (isBeyond(newest, tolerance)) {
    return yield* new StartupError({
      message: `${describe(newest)}; set it right (NTP, for example), and start again`
    })
  }
  gauge(yield* Effect.context<never>(), "peyk_clock_offset_seconds", {
    description: "By how much this process's clock is ahead of PostgreSQL's, as last compared.",
    read: () => newest.aheadMillis / MILLIS_PER_SECOND
  })

  let was: Agreement = "agrees"
  const judge = (comparison: Comparison) => {
    const before = was
    newest = comparison
    was = agreementOf(comparison, tolerance)
    isApart = was === "apart"
    jumps.settle()
    if (was === before) return Effect.void
    if (was === "apart")
      return Effect.logError(`${describe(comparison)}: this process does nothing until they agree`)
    if (was === "warned") return Effect.logWarning(describe(comparison))
    return Effect.logInfo("the clock of this machine agrees with PostgreSQL's again")
  }
  yield* judge(newest)

  let looks = 0
  const look = Effect.gen(function* () {
    yield* Effect.sleep(LOOK_PAUSE)
    looks += 1
    const jumped = jumps.hasJumped()
    if (jumped) isApart = true
    if (jumped || looks % LOOKS === 0) yield* Effect.ignore(Effect.flatMap(compare, judge))
  })
  yield* Effect.forkScoped(Effect.forever(look))
  return { isApart: () => isApart, mayBeApart: () => isApart || jumps.hasJumped() }
})

/**
 * Compares this process's clock with the store's, first and then every few seconds. If they differ, the start fails.
 */
export const ClockComparison = Layer.effect(ClockAgreement, make)
