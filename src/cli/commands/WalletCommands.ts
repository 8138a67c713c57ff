import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, customerCommand, ofCustomer } from "../ActionCommand.ts"
import { printOne } from "../output/Output.ts"
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

const walletCommand = Command.make("wallet").pipe(Command.withSubcommands([topUpCommand, show]))

export const commands = { wallet: walletCommand }
