import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, defaultableFlag, requireCustomer, uuidFlag } from "../input/Flags.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { listAll, printMany, printOne } from "../output/Output.ts"
import { adviceOf, totalsOf } from "../../domain/guard/Alarm.ts"
import { type EntryType, type GuardList, GuardMode } from "../../domain/guard/GuardSettings.ts"
import { toWireAlarm, toWireGuard, toWireSettings } from "../../http/manage/GuardApi.ts"
import {
  addGuardEntry,
  changeGuard,
  clearAlarm,
  MAX_GUARD_AMOUNT,
  removeGuardEntry
} from "../../services/guard/GuardActions.ts"
import { GuardRecords } from "../../services/guard/GuardRecords.ts"

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
        yield* warnUnlessAdvised(customer, Option.getOrUndefined(mode))
        const input = {
          ...(Option.isSome(mode) ? { mode: mode.value } : {}),
          ...(Option.isSome(unverifiedHour) ? { unverified_hour: unverifiedHour.value } : {}),
          ...(Option.isSome(smsPrice) ? { sms_price: smsPrice.value } : {})
        }
        const saved = operate(changeGuard, { customer, target: undefined, input })
        yield* printOne(toWireSettings(yield* Effect.mapError(saved, refusedAction("guard"))))
      })
    )
).pipe(Command.withDescription("Change a customer's guard: mode, budget, price of an SMS"))

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
        const cleared = operate(clearAlarm, { customer, target: alarm })
        const { segment, ...fields } = toWireAlarm(
          yield* Effect.mapError(cleared, refusedAction(`alarm ${alarm}`))
        )
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

const addCommand = (list: GuardList) =>
  Command.make("add", entryFlags, ({ customer, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const named = yield* namedEntry(given)
        const added = operate(addGuardEntry, { customer, target: list, input: named })
        const { type, value } = yield* Effect.mapError(
          added,
          refusedAction("such entry", { value: named.type })
        )
        yield* printOne({ type, value })
      })
    )
  ).pipe(Command.withDescription("Add an entry to the list"))

const removeCommand = (list: GuardList) =>
  Command.make("remove", entryFlags, ({ customer, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const named = yield* namedEntry(given)
        const removed = operate(removeGuardEntry, { customer, target: list, input: named })
        yield* Effect.mapError(removed, refusedAction("such entry", { value: named.type }))
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

const listCommands = [
  listCommand("allow", "Phones, prefixes and networks that always pass"),
  listCommand("deny", "Phones, prefixes and networks that are always refused")
] as const

export const guardCommand = Command.make("guard").pipe(
  Command.withSubcommands([show, set, days, alarms, clear, ...listCommands])
)
