import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { type Balance, Wallets } from "../../services/resources/Wallets.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, noCustomer, requireCustomer } from "../input/CustomerFlag.ts"
import { printOne } from "../output/Output.ts"

const toFields = ({ balance, held }: Balance) => ({
  balance,
  held,
  available: balance - held,
  currency: "IRR"
})

const entry = auditEntriesOf("wallet")

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
        const wallet = yield* audited(customer, (yield* Wallets).topUp(customer, amount), () =>
          entry("top_up", customer, { amount })
        )
        yield* printOne(toFields(wallet))
      }).pipe(Effect.mapError(() => noCustomer(customer)))
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

export const walletCommand = Command.make("wallet").pipe(Command.withSubcommands([topUp, show]))
