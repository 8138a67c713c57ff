import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, asInput, customerCommand, ofCustomer, printAll } from "../ActionCommand.ts"
import { customerFlag, defaultableFlag, uuidFlag, optionalChoice } from "../input/Flags.ts"
import { type ActionRefusal, CommandError, refusedAction } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { adviceOf, type ShownAlarm, totalsOf } from "../../domain/guard/Alarm.ts"
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

const show = customerCommand(
  "show",
  "Show a customer's guard: settings, alarms, and a report of refusals",
  (customer) =>
    Effect.gen(function* () {
      const guard = yield* GuardRecords
      const saved = yield* guard.settings(customer)
      const days = yield* guard.days(customer)
      yield* printOne(toWireGuard(saved, yield* guard.state(customer), days))
    })
)

const days = customerCommand(
  "days",
  "Count the codes that the guard refused, or would refuse, by day",
  (customer) =>
    Effect.gen(function* () {
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

const amountFlag = (name: string, description: string) =>
  Flag.optional(
    defaultableFlag(name, `${description}; default restores it`, { minimum: 0, maximum: MAX_GUARD_AMOUNT })
  )

const warnUnlessAdvised = Effect.fnUntraced(function* (customer: number) {
  const { isAdvised, cleanDays, cleanVerified } = adviceOf(yield* (yield* GuardRecords).days(customer))
  if (isAdvised) return
  yield* Effect.logWarning(
    `enforcing is advised after 7 days without a user who would have been refused, among 3000 verified codes; ` +
      `so far ${cleanDays} days and ${cleanVerified} codes`
  )
})

const set = actionCommand(
  "set",
  "Change a customer's guard: mode, budget, price of an SMS",
  changeGuard,
  ofCustomer,
  {
    flags: {
      mode: optionalChoice(
        "mode",
        GuardMode.literals,
        "off, record (refuses only what is on the deny list) or enforcing"
      ),
      unverified_hour: amountFlag("unverified-hour", "Unverified codes allowed per hour; 0: no limit"),
      sms_price: amountFlag("sms-price", "The price of one SMS to the customer, in rials, for the report")
    },
    input: (given, { customer }) =>
      Effect.as(
        Option.contains(given.mode, "enforcing") ? warnUnlessAdvised(customer) : Effect.void,
        asInput(given)
      ),
    refused: refusedAction("guard"),
    print: (saved) => printOne(toWireSettings(saved))
  }
)

const alarmFields = (alarm: ShownAlarm) => {
  const { segment, ...fields } = toWireAlarm(alarm)
  return { ...fields, segment: segment.kind, key: segment.key }
}

const alarms = customerCommand("alarms", "List a customer's alarms, the newest first", (customer) =>
  printAll((part) => GuardRecords.use((guard) => guard.alarms(customer, part)), alarmFields)
)

const oneAlarm = {
  flags: { customer: customerFlag, alarm: uuidFlag("alarm", "The alarm's id") },
  find: ({ customer, alarm }: { readonly customer: number; readonly alarm: string }) =>
    Effect.map(ofCustomer.find({ customer }), (found) => ({
      ...found,
      target: alarm,
      refused: refusedAction(`alarm ${alarm}`)
    }))
}

const clear = actionCommand(
  "clear",
  "Clear an alarm, and reset the counts that raised it",
  clearAlarm,
  oneAlarm,
  { print: (alarm) => printOne(alarmFields(alarm)) }
)

const valueFlag = (type: EntryType, description: string) =>
  Flag.String(type).pipe(Flag.withDescription(description), Flag.optional)

const entryFlags = {
  phone: valueFlag("phone", "A phone"),
  prefix: valueFlag("prefix", "A number prefix, e.g. 0912345"),
  ip: valueFlag("ip", "An address or a network, e.g. 10.0.0.0/8")
}

const named = (given: object) =>
  Object.entries(asInput(given)).map(([type, value]) => ({ type, value: String(value) }))

/** How an entry is added to a list or removed from it: the one that the flags name. */
const entryInput = {
  flags: entryFlags,
  input: (given: object) => {
    const [only, ...others] = named(given)
    return only === undefined || others.length > 0
      ? Effect.fail(new CommandError({ message: "give one of --phone, --prefix and --ip" }))
      : Effect.succeed(only)
  },
  refused: (error: ActionRefusal, given: object) =>
    refusedAction("such entry", { value: named(given)[0]?.type ?? "" })(error)
}

const listCommand = (list: GuardList, description: string) => {
  const ofList = {
    ...ofCustomer,
    find: (given: { readonly customer: number }) =>
      Effect.map(ofCustomer.find(given), (found) => ({ ...found, target: list }))
  }
  return Command.make(list).pipe(
    Command.withDescription(description),
    Command.withSubcommands([
      actionCommand("add", "Add an entry to the list", addGuardEntry, ofList, {
        ...entryInput,
        print: ({ type, value }) => printOne({ type, value })
      }),
      actionCommand("remove", "Remove an entry from the list", removeGuardEntry, ofList, {
        ...entryInput,
        print: (_, __, given) => printOne({ removed: true, ...named(given)[0] })
      }),
      customerCommand("list", "List the entries", (customer) =>
        Effect.flatMap(
          GuardRecords.use((guard) => guard.entries(customer, list)),
          (entries) => printMany(entries.map(({ type, value }) => ({ type, value })))
        )
      )
    ])
  )
}

const listCommands = [
  listCommand("allow", "Phones, prefixes and networks that always pass"),
  listCommand("deny", "Phones, prefixes and networks that are always refused")
] as const

const guardCommand = Command.make("guard").pipe(
  Command.withSubcommands([show, set, days, alarms, clear, ...listCommands])
)

export const commands = { guard: guardCommand }
