import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { adviceOf, totalsOf } from "../../domain/guard/GuardReport.ts"
import {
  type EntryType,
  type GuardList,
  GuardMode,
  type GuardSettings
} from "../../domain/guard/GuardSettings.ts"
import { MAX_GUARD_AMOUNT } from "../../http/manage/guard/GuardApi.ts"
import { toWireAlarm, toWireGuard, toWireSettings } from "../../http/manage/guard/GuardSchemas.ts"
import { GuardRecords } from "../../services/resources/activity/GuardRecords.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { defaultableFlag } from "../input/DefaultableFlag.ts"
import { uuidFlag } from "../input/UuidFlag.ts"
import { CommandError, describeError } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { listAll } from "../output/Pages.ts"

const entry = auditEntriesOf("guard")

const show = Command.make("show", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const guard = yield* GuardRecords
      const saved = yield* guard.settings(customer)
      const days = yield* guard.days(customer)
      yield* printOne(toWireGuard(saved, yield* guard.state(customer), days))
    })
  )
).pipe(Command.withDescription("Show a customer's guard: settings, alarms, and a report of refusals"))

const amountFlag = (name: string, description: string) =>
  Flag.optional(
    defaultableFlag(name, `${description}; default restores it`, { minimum: 0, maximum: MAX_GUARD_AMOUNT })
  )

const warnUnlessAdvised = Effect.fnUntraced(function* (customer: number, mode: GuardMode | undefined) {
  if (mode !== "enforcing") return
  const { isAdvised, cleanDays, cleanVerified } = adviceOf(yield* (yield* GuardRecords).days(customer))
  if (isAdvised) return
  yield* Effect.logWarning(
    `enforcing is advised after 7 days without a user who would have been refused, among 3000 verified codes; ` +
      `so far ${cleanDays} days and ${cleanVerified} codes`
  )
})

const set = Command.make(
  "set",
  {
    customer: customerFlag,
    mode: Flag.Literals("mode", GuardMode.literals).pipe(
      Flag.withDescription("off, record (refuses only what is on the deny list) or enforcing"),
      Flag.optional
    ),
    unverifiedHour: amountFlag("unverified-hour", "Unverified codes that may be out in an hour; 0: no limit"),
    smsPrice: amountFlag("sms-price", "The price of one SMS to the customer, in rials, for the report")
  },
  ({ customer, mode, unverifiedHour, smsPrice }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const change: Partial<GuardSettings> = {
          ...(Option.isSome(mode) ? { mode: mode.value } : {}),
          ...(Option.isSome(unverifiedHour) ? { unverifiedHour: unverifiedHour.value } : {}),
          ...(Option.isSome(smsPrice) ? { smsPrice: smsPrice.value } : {})
        }
        yield* warnUnlessAdvised(customer, change.mode)
        const saved = yield* audited(
          customer,
          (yield* GuardRecords).save(customer, change, null).pipe(Effect.mapError(describeConflict)),
          () => entry("save", customer, change)
        )
        yield* printOne(toWireSettings(saved))
      })
    )
).pipe(Command.withDescription("Change a customer's guard: mode, budget, price of an SMS"))

const describeConflict = () => new CommandError({ message: "somebody else changed it; try again" })

const days = Command.make("days", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const found = yield* (yield* GuardRecords).days(customer)
      const rows = [...found, { day: "total", ...totalsOf(found) }]
      yield* printMany(
        rows.map((day) => ({
          day: day.day,
          codes: day.codes,
          verified: day.verified,
          would_refuse: day.flagged,
          would_refuse_verified: day.flaggedVerified,
          would_save_sms: day.flaggedSms,
          would_save_messenger_rials: day.flaggedCharges,
          refused: day.refused,
          denied: day.denied
        }))
      )
    })
  )
).pipe(Command.withDescription("Count the codes that the guard refused, or would refuse, by day"))

const alarms = Command.make("alarms", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { alarms: page } = yield* GuardRecords
      const found = yield* listAll((part) => page(customer, part))
      yield* printMany(
        found
          .map(toWireAlarm)
          .map(({ segment, ...alarm }) => ({ ...alarm, segment: segment.kind, key: segment.key }))
      )
    })
  )
).pipe(Command.withDescription("List a customer's alarms, the newest first"))

const clear = Command.make(
  "clear",
  { customer: customerFlag, alarm: uuidFlag("alarm", "The alarm's id") },
  ({ customer, alarm }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const cleared = yield* audited(
          customer,
          (yield* GuardRecords)
            .clear(customer, alarm)
            .pipe(Effect.mapError(() => new CommandError({ message: `there is no alarm ${alarm}` }))),
          ({ id, reason }) => entry("clear", id, { reason })
        )
        const { segment, ...fields } = toWireAlarm(cleared)
        yield* printOne({ ...fields, segment: segment.kind, key: segment.key })
      })
    )
).pipe(Command.withDescription("End an alarm, and forget the codes that raised it"))

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

const listCommand = (list: GuardList, description: string) => {
  const add = Command.make("add", entryFlags, ({ customer, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const named = yield* namedEntry(given)
        const added = yield* audited(customer, (yield* GuardRecords).add(customer, list, named), () =>
          entry("add", customer, { list, type: named.type })
        ).pipe(
          Effect.catchTag("validation_error", (error) => Effect.fail(describeError(error))),
          Effect.catchTag("conflict", ({ details }) => new CommandError({ message: details.reason }))
        )
        yield* printOne({ type: added.type, value: added.value })
      })
    )
  ).pipe(Command.withDescription("Add an entry to the list"))

  const remove = Command.make("remove", entryFlags, ({ customer, ...given }) =>
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

  const entries = Command.make("list", { customer: customerFlag }, ({ customer }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const found = yield* (yield* GuardRecords).entries(customer, list)
        yield* printMany(found.map(({ type, value }) => ({ type, value })))
      })
    )
  ).pipe(Command.withDescription("List the entries"))

  return Command.make(list).pipe(
    Command.withDescription(description),
    Command.withSubcommands([add, remove, entries])
  )
}

export const guardCommand = Command.make("guard").pipe(
  Command.withDescription("Protection against pumping, bombing and guessing"),
  Command.withSubcommands([
    show,
    set,
    days,
    alarms,
    clear,
    listCommand("allow", "Phones, prefixes and networks that always pass"),
    listCommand("deny", "Phones, prefixes and networks that are always refused")
  ])
)
