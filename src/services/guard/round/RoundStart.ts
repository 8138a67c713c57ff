import { Effect, Option } from "effect"
import { MATURITY_AGE_MILLIS, maturityOf } from "../../../domain/guard/Maturity.ts"
import { type CustomerState, newCustomerState } from "../../../domain/guard/round/CustomerState.ts"
import { knocked } from "../../../domain/guard/round/Knocks.ts"
import { offProbation } from "../../../domain/guard/round/Probation.ts"
import { endedAlarms } from "../../../domain/guard/Verdict.ts"
import type { Instant } from "../../../domain/Instant.ts"
import { idAt, instantOf } from "../../../domain/TimePosition.ts"
import { GuardStore, type OpenStoredAlarm, type ReadCode, type RoundSource } from "../GuardStore.ts"
import { MAX_AGE_MILLIS } from "./RoundAlarms.ts"

/** A round with more codes judges a sample of them: enough for every test, and no round costs more. */
const SAMPLE_CODES = 1000

/** A customer as a round finds it, with the codes to judge. */
export interface RoundStart {
  readonly customerId: number
  readonly state: CustomerState
  readonly codes: ReadonlyArray<ReadCode>
  readonly judgedUntil: string
  /** The alarms whose time is over, and the others. */
  readonly over: ReadonlyArray<OpenStoredAlarm>
  readonly open: ReadonlyArray<OpenStoredAlarm>
}

/** The state with what was refused since the last round; off probation if the customer is not blocked. */
const countRefusals = (state: CustomerState, source: RoundSource, now: Instant): CustomerState => {
  const isBlocked = source.alarms.some(({ kind, reason }) => kind === "customer" && reason === "unverified")
  const counted = { ...state, knocks: knocked(state.knocks, source.refusedWhole, now) }
  return isBlocked ? counted : offProbation(counted, now)
}

const makeWithMaturity = Effect.gen(function* () {
  const store = yield* GuardStore
  return Effect.fnUntraced(function* (customerId: number, state: CustomerState, now: Instant) {
    if (now - state.maturityAt < MATURITY_AGE_MILLIS) return state
    const measured = yield* store.timeToVerify(customerId, now)
    const maturityMillis = Option.match(measured, {
      onNone: () => state.maturityMillis,
      onSome: maturityOf
    })
    return { ...state, maturityMillis, maturityAt: now }
  })
})

/** Reads what a round needs to begin. */
export const makeStartRound = Effect.gen(function* () {
  const store = yield* GuardStore
  const withMaturity = yield* makeWithMaturity

  return Effect.fnUntraced(function* (customerId: number, source: RoundSource, now: Instant) {
    const measured = yield* withMaturity(customerId, source.state ?? newCustomerState(now), now)
    const state = countRefusals(measured, source, now)
    const { maturityMillis } = state
    const oldest = idAt(now - MAX_AGE_MILLIS)
    const from = source.judgedUntil === null || source.judgedUntil < oldest ? oldest : source.judgedUntil
    const until = now - maturityMillis
    const codes = yield* store.matured({ customerId, from, until, maturityMillis, sample: SAMPLE_CODES })
    const over = endedAlarms(source.alarms, state.outage !== null, now)
    const start: RoundStart = {
      customerId,
      state,
      codes,
      judgedUntil: idAt(Math.max(until, instantOf(from))),
      over,
      open: source.alarms.filter((alarm) => !over.includes(alarm))
    }
    return start
  })
})
