import { Context, Effect, Schema } from "effect"
import { type Calendar, calendars, monthBefore } from "../domain/Calendar.ts"
import { fieldError } from "../domain/Errors.ts"
import { optional } from "../domain/Fields.ts"
import type { Instant } from "../domain/Instant.ts"
import { problem } from "../domain/Problem.ts"
import { TEHRAN } from "../domain/TimeZones.ts"
import { action, NoTarget } from "./Action.ts"
import { Wallets } from "./Wallets.ts"

const MAX_BUDGET = 1_000_000_000_000

/** What a customer means to spend in a month, in rials. Nothing is refused because of it: people are told. */
export const Budget = Schema.Struct({
  amount: Schema.Int,
  /** Whose months it counts; they begin at midnight in Tehran. */
  calendar: Schema.Literals(calendars)
})
export type Budget = typeof Budget.Type

/** A missing field stays as it is; an amount of null takes the budget away. */
interface BudgetChange {
  readonly amount?: number | null | undefined
  readonly calendar?: Calendar | undefined
}

/** The months of a budget that was set without a calendar. */
export const DEFAULT_CALENDAR: Calendar = "jalali"

export class Budgets extends Context.Service<
  Budgets,
  {
    /** Null: none is set. */
    readonly find: (customerId: number) => Effect.Effect<Budget | null>
    /** What is set afterwards; null: none is. */
    readonly save: (customerId: number, change: BudgetChange) => Effect.Effect<Budget | null>
  }
>()("peyk/services/Budgets") {}

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_BUDGET }))

export const BudgetBody = Schema.Struct({
  amount: optional(Amount).annotateKey({
    description: "Rials in a month; null: no budget. A missing field stays as it is."
  }),
  calendar: optional(Schema.Literals(calendars)).annotateKey({
    description: `Whose months it counts; ${DEFAULT_CALENDAR} for the first budget.`
  })
}).annotate({ identifier: "BudgetChange" })

export const setBudget = action("wallet.set_budget", {
  input: BudgetBody,
  target: NoTarget,
  access: "writer",
  before: ({ actor }) =>
    Effect.map(
      Budgets.use((budgets) => budgets.find(actor.customerId)),
      (budget) => ({ values: { amount: budget?.amount ?? null, calendar: budget?.calendar ?? null } })
    ),
  run: Effect.fnUntraced(function* ({ actor, input: { amount, calendar } }) {
    const { save } = yield* Budgets
    const budget = yield* save(actor.customerId, { amount, calendar: calendar ?? undefined })
    if (budget === null && amount === undefined && calendar != null)
      return yield* fieldError("amount", problem("required"))
    return budget
  }),
  audit: (budget, { actor, input: { amount, calendar } }) => ({
    id: actor.customerId,
    details: {
      ...(amount === undefined ? {} : { amount }),
      ...(calendar == null || budget === null ? {} : { calendar })
    }
  })
})

/** The budget of this month, and how much of it is spent. */
export interface BudgetState extends Budget {
  /** `1405-09` */
  readonly month: string
  readonly spent: number
}

/** Null: no budget is set. Read from the sums of days, and the entries of less than two. */
export const budgetState = Effect.fnUntraced(function* (customerId: number, now: Instant) {
  const budget = yield* Budgets.use((budgets) => budgets.find(customerId))
  if (budget === null) return null
  const month = monthBefore(now, 0, { calendar: budget.calendar, zone: TEHRAN })
  const { captures } = yield* Wallets.use((wallets) => wallets.statement(customerId, month))
  const spent = Object.values(captures).reduce((sum, amount) => sum + amount, 0)
  return { ...budget, month: month.id, spent } satisfies BudgetState
})

/** The shares of a budget at which people are alerted, in percent. */
const BUDGET_ALERTS = [80, 100] as const

/** The highest share that this month has reached: each is an alert of its own, and two at once would be one too many. */
export const budgetConditions = Effect.fnUntraced(function* (customerId: number, now: Instant) {
  const state = yield* budgetState(customerId, now)
  if (state === null) return []
  const { amount, month, spent } = state
  const percent = BUDGET_ALERTS.findLast((each) => spent * 100 >= amount * each)
  if (percent === undefined) return []
  return [
    {
      kind: "budget" as const,
      subject: { type: "budget", id: `${month}:${percent}`, name: month },
      counts: { percent, spent, limit: amount }
    }
  ]
})
