import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Management, type Wallet } from "../services/resources/Management.ts"
import { withManagement } from "./CommandContext.ts"
import { customerFlag } from "./input/CustomerFlag.ts"
import { printOne } from "./output/Output.ts"

const toFields = ({ balance, held }: Wallet) => ({
  balance,
  held,
  available: balance - held,
  currency: "IRR"
})

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000_000 }))

const topUp = Command.make(
  "top-up",
  {
    customer: customerFlag,
    amount: Flag.Int("amount").pipe(Flag.withDescription("Whole rials"), Flag.withSchema(Amount))
  },
  ({ customer, amount }) =>
    withManagement(
      Effect.gen(function* () {
        yield* printOne(toFields(yield* (yield* Management).topUp(customer, amount)))
      })
    )
).pipe(Command.withDescription("Add to a customer's wallet"))

const show = Command.make("show", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* printOne(toFields(yield* (yield* Management).wallet(customer)))
    })
  )
).pipe(Command.withDescription("Show a customer's wallet"))

export const walletCommand = Command.make("wallet").pipe(
  Command.withDescription("Wallets, in whole rials"),
  Command.withSubcommands([topUp, show])
)
