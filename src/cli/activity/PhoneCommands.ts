import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { parsePhone } from "../../domain/Phone.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { PhoneErasures } from "../../services/retention/PhoneErasures.ts"
import { audited } from "../CommandContext.ts"
import { withUseCases } from "../UseCaseContext.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { CommandError } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"

const entry = auditEntriesOf("phone")

const erase = Command.make(
  "erase",
  {
    customer: customerFlag,
    phone: Flag.String("phone").pipe(Flag.withDescription("An Iranian mobile number"))
  },
  ({ customer, phone: text }) =>
    withUseCases(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const phone = yield* Effect.mapError(
          Effect.fromResult(parsePhone(text)),
          () => new CommandError({ message: "this is not an Iranian mobile number" })
        )
        const erased = yield* (yield* PhoneErasures).erase(customer, phone)
        yield* audited(customer, Effect.succeed(erased), () => entry("erase", customer, { ...erased }))
        yield* printOne({ ...erased })
      })
    )
).pipe(
  Command.withDescription(
    "Cancel codes and messages in progress to a phone, and erase it from a customer's records"
  )
)

export const phoneCommand = Command.make("phone").pipe(Command.withSubcommands([erase]))
