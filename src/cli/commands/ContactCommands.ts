import { Effect, Result, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { accountFlag } from "../input/Flags.ts"
import { LARGE_INPUT_BYTES, readInput } from "../input/InputFile.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"
import { parseContactPhone } from "../../domain/Phone.ts"
import { textOf } from "../../domain/ProblemTexts.ts"
import { readContacts } from "../../domain/account/Contacts.ts"
import { Accounts } from "../../services/account/Accounts.ts"
import { Contacts, importContacts, removeContact } from "../../services/account/Contacts.ts"

const noMobile = () => new CommandError({ message: "this is not an Iranian mobile number" })

const refused = (account: number) => refusedAction(`account ${account}`)

const ownerOf = (account: number) =>
  Effect.mapError(
    Accounts.use((accounts) => accounts.ownerOf(account)),
    refused(account)
  )

const importFile = Command.make(
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
        const customer = yield* ownerOf(account)
        const links = yield* Effect.mapError(
          Effect.fromResult(readContacts(yield* readInput(file, LARGE_INPUT_BYTES))),
          (problems) =>
            new CommandError({ message: `nothing was imported: ${problems.map(textOf).join("; ")}` })
        )
        const contacts = links.map(({ phone, chatId }) => ({ phone, chat_id: chatId }))
        const { imported } = yield* operate(importContacts, {
          customer,
          target: account,
          input: { contacts }
        }).pipe(Effect.catchTag("invalid_phone", Effect.die), Effect.mapError(refused(account)))
        yield* printOne({ account_id: account, imported })
      })
    )
).pipe(Command.withDescription("Link phones to the chats by which a bot reaches them"))

const count = Command.make("count", { account: accountFlag }, ({ account }) =>
  withManagement(
    Effect.gen(function* () {
      const owner = yield* ownerOf(account)
      const counted = Contacts.use((contacts) => contacts.count(owner, account))
      yield* printOne({ account_id: account, contacts: yield* Effect.mapError(counted, refused(account)) })
    })
  )
).pipe(Command.withDescription("Count the phones that a bot reaches"))

const remove = Command.make(
  "remove",
  { account: accountFlag, phone: Flag.String("phone").pipe(Flag.withSchema(Schema.NonEmptyString)) },
  ({ account, phone }) =>
    withManagement(
      Effect.gen(function* () {
        if (Result.isFailure(parseContactPhone(phone))) return yield* noMobile()
        const customer = yield* ownerOf(account)
        const { removed } = yield* operate(removeContact, { customer, target: { id: account, phone } }).pipe(
          Effect.catchTag("not_found", () => Effect.succeed({ removed: false })),
          Effect.mapError(refused(account))
        )
        yield* printOne({ account_id: account, removed })
      })
    )
).pipe(Command.withDescription("Delete the link by which a bot reaches a phone"))

const contactsCommand = Command.make("contacts").pipe(Command.withSubcommands([importFile, count, remove]))

export const commands = { contacts: contactsCommand }
