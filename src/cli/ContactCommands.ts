import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { readContacts } from "../domain/account/ContactFile.ts"
import { parsePhone } from "../domain/Phone.ts"
import { Management, ManagementError } from "../services/resources/Management.ts"
import { accountFlag } from "./input/AccountFlag.ts"
import { withManagement } from "./CommandContext.ts"
import { readInput } from "./input/InputFile.ts"
import { printOne } from "./output/Output.ts"

const importContacts = Command.make(
  "import",
  {
    account: accountFlag,
    file: Flag.String("file").pipe(
      Flag.withDescription("CSV with the header phone,chat_id; - reads standard input")
    )
  },
  ({ account, file }) =>
    withManagement(
      Effect.gen(function* () {
        const contacts = yield* Effect.mapError(
          Effect.fromResult(readContacts(yield* readInput(file))),
          (message) => new ManagementError({ message: `nothing was imported: ${message}` })
        )
        const imported = yield* (yield* Management).importContacts(account, contacts)
        yield* printOne({ account_id: account, imported })
      })
    )
).pipe(Command.withDescription("Link phones to the chats by which a bot reaches them"))

const count = Command.make("count", { account: accountFlag }, ({ account }) =>
  withManagement(
    Effect.gen(function* () {
      yield* printOne({ account_id: account, contacts: yield* (yield* Management).countContacts(account) })
    })
  )
).pipe(Command.withDescription("Count the phones that a bot reaches"))

const remove = Command.make(
  "remove",
  { account: accountFlag, phone: Flag.String("phone").pipe(Flag.withSchema(Schema.NonEmptyString)) },
  ({ account, phone }) =>
    withManagement(
      Effect.gen(function* () {
        const parsed = yield* Effect.mapError(
          Effect.fromResult(parsePhone(phone)),
          () => new ManagementError({ message: "this is not an Iranian mobile number" })
        )
        const removed = yield* (yield* Management).removeContact(account, parsed)
        yield* printOne({ account_id: account, removed })
      })
    )
).pipe(Command.withDescription("Delete the link by which a bot reaches a phone"))

export const contactsCommand = Command.make("contacts").pipe(
  Command.withDescription("Whom bots reach"),
  Command.withSubcommands([importContacts, count, remove])
)
