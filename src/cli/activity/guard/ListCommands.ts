import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { EntryType, GuardList } from "../../../domain/guard/GuardSettings.ts"
import { GuardRecords } from "../../../services/resources/activity/GuardRecords.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { audited, withManagement } from "../../CommandContext.ts"
import { customerFlag, requireCustomer } from "../../input/CustomerFlag.ts"
import { CommandError, describeError } from "../../output/CommandError.ts"
import { printMany, printOne } from "../../output/Output.ts"
import { textOf } from "../../../domain/ProblemTexts.ts"

const entry = auditEntriesOf("guard")

const valueFlag = (type: EntryType, description: string) =>
  Flag.String(type).pipe(Flag.withDescription(description), Flag.optional)

const entryFlags = {
  customer: customerFlag,
  phone: valueFlag("phone", "A phone"),
  prefix: valueFlag("prefix", "The beginning of phones, e.g. 0912345"),
  ip: valueFlag("ip", "An address or a network, e.g. 10.0.0.0/8")
}

/** The one entry that the flags name. */
const namedEntry = (given: Readonly<Record<EntryType, Option.Option<string>>>) => {
  const types: ReadonlyArray<EntryType> = ["phone", "prefix", "ip"]
  const named = types.flatMap((type) =>
    Option.match(given[type], { onNone: () => [], onSome: (value) => [{ type, value }] })
  )
  const [only] = named
  return only === undefined || named.length > 1
    ? Effect.fail(new CommandError({ message: "give one of --phone, --prefix and --ip" }))
    : Effect.succeed(only)
}

const addCommand = (list: GuardList) =>
  Command.make("add", entryFlags, ({ customer, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const named = yield* namedEntry(given)
        const added = yield* audited(customer, (yield* GuardRecords).add(customer, list, named), () =>
          entry("add", customer, { list, type: named.type })
        ).pipe(
          Effect.catchTag("validation_error", (error) => Effect.fail(describeError(error))),
          Effect.catchTag("conflict", ({ problem }) => new CommandError({ message: textOf(problem) }))
        )
        yield* printOne({ type: added.type, value: added.value })
      })
    )
  ).pipe(Command.withDescription("Add an entry to the list"))

const removeCommand = (list: GuardList) =>
  Command.make("remove", entryFlags, ({ customer, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const named = yield* namedEntry(given)
        yield* audited(customer, (yield* GuardRecords).remove(customer, list, named), () =>
          entry("remove", customer, { list, type: named.type })
        ).pipe(
          Effect.catchTag("validation_error", (error) => Effect.fail(describeError(error))),
          Effect.catchTag("not_found", () => new CommandError({ message: "there is no such entry" }))
        )
        yield* printOne({ removed: true, ...named })
      })
    )
  ).pipe(Command.withDescription("Remove an entry from the list"))

const entriesCommand = (list: GuardList) =>
  Command.make("list", { customer: customerFlag }, ({ customer }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const found = yield* (yield* GuardRecords).entries(customer, list)
        yield* printMany(found.map(({ type, value }) => ({ type, value })))
      })
    )
  ).pipe(Command.withDescription("List the entries"))

const listCommand = (list: GuardList, description: string) =>
  Command.make(list).pipe(
    Command.withDescription(description),
    Command.withSubcommands([addCommand(list), removeCommand(list), entriesCommand(list)])
  )

export const listCommands = [
  listCommand("allow", "Phones, prefixes and networks that always pass"),
  listCommand("deny", "Phones, prefixes and networks that are always refused")
] as const
