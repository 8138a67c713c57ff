import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, customerCommand, ofCustomer, oneOfCustomer, printAll } from "../ActionCommand.ts"
import { printMany, printOne } from "../output/Output.ts"
import { toAlert, toAlertSettings, toRecipient } from "../../http/manage/AlertsApi.ts"
import {
  addAlertRecipient,
  Alerts,
  changeAlertSettings,
  confirmAlertRecipient,
  removeAlertRecipient,
  testAlertRecipient
} from "../../services/alert/Alerts.ts"
import { AlertKind, type AlertRecipient, type AlertRecord } from "../../domain/alert/Alert.ts"
import { CommandError } from "../output/CommandError.ts"

const printRecipient = (recipient: AlertRecipient) => printOne(toRecipient(recipient, true))

const toRow = (alert: AlertRecord) => {
  const { id, kind, text, held_back, raised_at, deliveries } = toAlert(alert)
  const statuses = Map.groupBy(deliveries, ({ status }) => status)
  const sent = [...statuses].map(([status, all]) => `${status} ${all.length}`).join(", ")
  return { id, kind, text, held_back, raised_at, deliveries: sent }
}

const list = customerCommand(
  "list",
  "List a customer's alerts of the last 90 days, the newest first",
  (customer) => printAll((part) => Alerts.use((alerts) => alerts.list(customer, part)), toRow)
)

const recipients = customerCommand("recipients", "List who gets a customer's alerts", (customer) =>
  Effect.flatMap(
    Alerts.use((alerts) => alerts.recipients(customer)),
    (found) => printMany(found.map((each) => toRecipient(each, true)))
  )
)

const settings = customerCommand(
  "settings",
  "Show which alerts a customer's people get, and when",
  (customer) =>
    Effect.flatMap(
      Alerts.use((alerts) => alerts.settings(customer)),
      (saved) => printOne(toAlertSettings(saved))
    )
)

const QUIET = /^(\d{2}:\d{2})-(\d{2}:\d{2})$/

/** `22:00-08:00`, or `none`. */
const quietHoursIn = (text: unknown): Effect.Effect<object, CommandError> => {
  if (text === undefined) return Effect.succeed({})
  if (text === "none") return Effect.succeed({ quiet_hours: null })
  const [, from, until] = QUIET.exec(String(text)) ?? []
  return from === undefined
    ? Effect.fail(new CommandError({ message: "--quiet-hours needs a span such as 22:00-08:00, or none" }))
    : Effect.succeed({ quiet_hours: { from, until } })
}

const known = new Set<string>(AlertKind.literals)

const kindsIn = (text: unknown): Effect.Effect<object, CommandError> => {
  if (text === undefined) return Effect.succeed({})
  const kinds = [
    ...new Set(
      String(text)
        .split(",")
        .map((kind) => kind.trim())
    )
  ].filter((kind) => kind !== "")
  const unknown = kinds.filter((kind) => !known.has(kind))
  return unknown.length > 0
    ? Effect.fail(new CommandError({ message: `there is no alert ${unknown.join(", ")}` }))
    : Effect.succeed({ kinds })
}

const set = actionCommand(
  "set",
  "Change which alerts a customer's people get, and when",
  changeAlertSettings,
  ofCustomer,
  {
    flags: {
      kinds: Flag.optional(
        Flag.String("kinds").pipe(Flag.withDescription("The kinds that people get, separated by commas"))
      ),
      quiet_hours: Flag.optional(
        Flag.String("quiet-hours").pipe(
          Flag.withDescription("When alerts wait (Tehran): 22:00-08:00, or none")
        )
      ),
      urgent_passes: Flag.optional(
        Flag.Literals("urgent-passes", ["yes", "no"]).pipe(
          Flag.withDescription("Whether channel_down, guard_alarm and webhook_off pass quiet hours")
        )
      )
    },
    input: (given) =>
      Effect.gen(function* () {
        const { kinds, quiet_hours, urgent_passes } = Object.fromEntries(
          Object.entries(given).map(([name, value]) => [
            name,
            value._tag === "Some" ? value.value : undefined
          ])
        )
        return {
          ...(yield* kindsIn(kinds)),
          ...(yield* quietHoursIn(quiet_hours)),
          ...(urgent_passes === undefined ? {} : { urgent_passes: urgent_passes === "yes" })
        }
      }),
    print: (saved) => printOne(toAlertSettings(saved))
  }
)

const add = actionCommand(
  "add",
  "Add a user, or an e-mail address, which gets a code that confirms it; phones are added in the console",
  addAlertRecipient,
  ofCustomer,
  {
    flags: {
      user_id: Flag.optional(
        Flag.String("user").pipe(Flag.withDescription("The id of a user of the customer"))
      ),
      email: Flag.optional(Flag.String("email").pipe(Flag.withDescription("An e-mail address")))
    },
    print: printRecipient
  }
)

const oneRecipient = oneOfCustomer(
  "recipient",
  Flag.Int("recipient").pipe(Flag.withDescription("The recipient's id"))
)

const confirm = actionCommand(
  "confirm",
  "Confirm an e-mail address by the code that it got",
  confirmAlertRecipient,
  oneRecipient,
  {
    flags: { code: Flag.String("code").pipe(Flag.withDescription("The code")) },
    print: printRecipient
  }
)

const test = actionCommand(
  "test",
  "Send a test alert to a recipient; a running server begins within half a lease (15 s)",
  testAlertRecipient,
  oneRecipient,
  { print: ({ alertId }) => printOne({ alert_id: alertId }) }
)

const remove = actionCommand("remove", "Remove a recipient of alerts", removeAlertRecipient, oneRecipient, {
  print: (_, { target }) => printOne({ id: target, deleted: true })
})

const alertCommand = Command.make("alert").pipe(
  Command.withSubcommands([list, recipients, add, confirm, test, remove, settings, set])
)

export const commands = { alert: alertCommand }
