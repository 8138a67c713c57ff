import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/Flags.ts"
import { refusedAction } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"
import { topUp } from "../../services/customer/CustomerActions.ts"
import { type Balance, Wallets } from "../../services/money/Wallets.ts"

const toFields = ({ balance, held }: Balance) => ({
  balance,
  held,
  available: balance - held,
  currency: "IRR"
})

const topUpCommand = Command.make(
  "top-up",
  { customer: customerFlag, amount: Flag.Int("amount").pipe(Flag.withDescription("Whole rials")) },
  ({ customer, amount }) =>
    withManagement(
      operate(topUp, { customer, target: undefined, input: { amount } }).pipe(
        Effect.mapError(refusedAction(`customer ${customer}`)),
        Effect.flatMap((wallet) => printOne(toFields(wallet)))
      )
    )
).pipe(Command.withDescription("Add to a customer's wallet"))

const show = Command.make("show", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      yield* printOne(toFields(yield* (yield* Wallets).balance(customer)))
    })
  )
).pipe(Command.withDescription("Show a customer's wallet"))

export const walletCommand = Command.make("wallet").pipe(Command.withSubcommands([topUpCommand, show]))
