import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { readContacts } from "../../domain/account/ContactFile.ts"
import { parseContactPhone } from "../../domain/Phone.ts"
import { Accounts } from "../../services/resources/accounts/Accounts.ts"
import { Contacts } from "../../services/resources/accounts/Contacts.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { CommandError, describeError } from "../output/CommandError.ts"
import { accountFlag, noAccount } from "../input/AccountFlag.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { LARGE_INPUT_BYTES, readInput } from "../input/InputFile.ts"
import { printOne } from "../output/Output.ts"
import { textOf } from "../../domain/ProblemTexts.ts"

const entry = auditEntriesOf("account", "contacts")

const ownerOf = (account: number) => Effect.flatMap(Accounts, (accounts) => accounts.ownerOf(account))

const inWords = (account: number) => ({ not_found: noAccount(account), conflict: describeError })

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
        const owner = yield* ownerOf(account)
        const contacts = yield* Effect.mapError(
          Effect.fromResult(readContacts(yield* readInput(file, LARGE_INPUT_BYTES))),
          (problems) =>
            new CommandError({ message: `nothing was imported: ${problems.map(textOf).join("; ")}` })
        )
        const imported = yield* audited(owner, (yield* Contacts).link(owner, account, contacts), (count) =>
          entry("import", account, { imported: count })
        )
        yield* printOne({ account_id: account, imported })
      }).pipe(Effect.catchTags(inWords(account)))
    )
).pipe(Command.withDescription("Link phones to the chats by which a bot reaches them"))

const count = Command.make("count", { account: accountFlag }, ({ account }) =>
  withManagement(
    Effect.gen(function* () {
      const contacts = yield* (yield* Contacts).count(yield* ownerOf(account), account)
      yield* printOne({ account_id: account, contacts })
    }).pipe(Effect.catchTags(inWords(account)))
  )
).pipe(Command.withDescription("Count the phones that a bot reaches"))

const remove = Command.make(
  "remove",
  { account: accountFlag, phone: Flag.String("phone").pipe(Flag.withSchema(Schema.NonEmptyString)) },
  ({ account, phone }) =>
    withManagement(
      Effect.gen(function* () {
        const parsed = yield* Effect.mapError(
          Effect.fromResult(parseContactPhone(phone)),
          () => new CommandError({ message: "this is not an Iranian mobile number" })
        )
        const owner = yield* ownerOf(account)
        const removed = yield* audited(owner, (yield* Contacts).remove(owner, account, parsed), (isRemoved) =>
          entry("remove", account, { removed: isRemoved })
        )
        yield* printOne({ account_id: account, removed })
      }).pipe(Effect.catchTags(inWords(account)))
    )
).pipe(Command.withDescription("Delete the link by which a bot reaches a phone"))

export const contactsCommand = Command.make("contacts").pipe(
  Command.withSubcommands([importContacts, count, remove])
)
