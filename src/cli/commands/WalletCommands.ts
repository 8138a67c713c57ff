import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { calendars } from "../../domain/Calendar.ts"
import { statementMonth } from "../../domain/money/Statement.ts"
import { problem } from "../../domain/Problem.ts"
import { textOf } from "../../domain/ProblemTexts.ts"
import { isTimeZone, TEHRAN } from "../../domain/TimeZones.ts"
import { actionCommand, customerCommand, ofCustomer } from "../ActionCommand.ts"
import { about, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/Flags.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"
import { toBudget } from "../../http/manage/WalletApi.ts"
import { budgetState, setBudget } from "../../services/Budgets.ts"
import { topUp } from "../../services/customer/CustomerRecords.ts"
import { type Balance, Wallets } from "../../services/Wallets.ts"

const print = ({ balance, held }: Balance) =>
  printOne({ balance, held, available: balance - held, currency: "IRR" })

const topUpCommand = actionCommand("top-up", "Add to a customer's wallet", topUp, ofCustomer, {
  flags: { amount: Flag.Int("amount").pipe(Flag.withDescription("Whole rials")) },
  print
})

const show = customerCommand("show", "Show a customer's wallet", (customer) =>
  Effect.flatMap(
    Wallets.use((wallets) => wallets.balance(customer)),
    print
  )
)

const printBudget = Effect.fnUntraced(function* (customer: number) {
  const state = yield* budgetState(customer, yield* Clock.currentTimeMillis)
  yield* printOne(toBudget(state))
})

const amountIn = (text: string): Effect.Effect<number | null, CommandError> => {
  if (text === "none") return Effect.succeed(null)
  return /^\d{1,15}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new CommandError({ message: "--amount needs whole rials, or none" }))
}

const setBudgetCommand = actionCommand(
  "set",
  "Set, change or remove a monthly budget",
  setBudget,
  ofCustomer,
  {
    flags: {
      amount: Flag.optional(
        Flag.String("amount").pipe(Flag.withDescription("Whole rials in a month, or none for no budget"))
      ),
      calendar: Flag.optional(
        Flag.Literals("calendar", calendars).pipe(Flag.withDescription("Whose months it counts"))
      )
    },
    input: ({ amount, calendar }) =>
      Effect.map(Option.isNone(amount) ? Effect.undefined : amountIn(amount.value), (rials) => ({
        ...(rials === undefined ? {} : { amount: rials }),
        ...(Option.isNone(calendar) ? {} : { calendar: calendar.value })
      })),
    print: (_, { customer }) => printBudget(customer)
  }
)

const budgetCommand = Command.make("budget").pipe(
  Command.withSubcommands([
    customerCommand("show", "Show a customer's monthly budget, and how much of it is spent", printBudget),
    setBudgetCommand
  ])
)

const statement = Command.make(
  "statement",
  {
    customer: customerFlag,
    month: Flag.String("month").pipe(Flag.withDescription("2026-11; with --calendar jalali 1405-09")),
    calendar: Flag.Literals("calendar", calendars).pipe(
      Flag.withDescription("The calendar of the month"),
      Flag.withDefault("gregorian")
    ),
    zone: Flag.String("timezone").pipe(
      Flag.withDescription(`Where the month begins at midnight, such as ${TEHRAN}`),
      Flag.withDefault("UTC")
    )
  },
  ({ customer, month, calendar, zone }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const notZone = problem("not_time_zone", { example: TEHRAN })
        if (!isTimeZone(zone)) return yield* new CommandError({ message: `--timezone ${textOf(notZone)}` })
        const named = yield* Effect.mapError(
          Effect.fromResult(statementMonth(month, { calendar, zone })),
          refusedAction("month", { path: "month" })
        )
        const { opening, topUps, captures, closing } = yield* about(
          customer,
          Wallets.use((wallets) => wallets.statement(customer, named))
        )
        const sums = { opening, top_ups: topUps, captures, closing }
        yield* printOne({ month: named.id, ...sums, currency: "IRR" })
      })
    )
).pipe(Command.withDescription("Show what a month began with, what was paid in and spent, and what is left"))

const walletCommand = Command.make("wallet").pipe(
  Command.withSubcommands([topUpCommand, show, statement, budgetCommand])
)

export const commands = { wallet: walletCommand }
