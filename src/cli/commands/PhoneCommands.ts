import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { operate } from "../CommandContext.ts"
import { withUseCases } from "../UseCaseContext.ts"
import { customerFlag, requireCustomer } from "../input/Flags.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"
import { erasePhone } from "../../services/PhoneErasures.ts"

const erase = Command.make(
  "erase",
  {
    customer: customerFlag,
    phone: Flag.String("phone").pipe(Flag.withDescription("An Iranian mobile number"))
  },
  ({ customer, phone }) =>
    withUseCases(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const erased = yield* operate(erasePhone, { customer, target: undefined, input: { phone } }).pipe(
          Effect.catchTag(
            "invalid_phone",
            () => new CommandError({ message: "this is not an Iranian mobile number" })
          ),
          Effect.catchTag(["validation_error", "scope_insufficient"], (error) =>
            Effect.fail(refusedAction(`customer ${customer}`)(error))
          )
        )
        yield* printOne({ ...erased })
      })
    )
).pipe(
  Command.withDescription(
    "Cancel codes and messages in progress to a phone, and erase it from a customer's records"
  )
)

const phoneCommand = Command.make("phone").pipe(Command.withSubcommands([erase]))

export const commands = { phone: phoneCommand }
