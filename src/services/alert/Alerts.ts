import { Context, Effect, Redacted, Schema } from "effect"
import {
  Conflict,
  fieldError,
  type NotFound,
  type PreconditionFailed,
  type ValidationError
} from "../../domain/Errors.ts"
import { Email, optional, PhoneText, ResourceId } from "../../domain/Fields.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import { parsePhone } from "../../domain/Phone.ts"
import { problem } from "../../domain/Problem.ts"
import { check } from "../../domain/SchemaProblems.ts"
import {
  AlertKind,
  type AlertRecipient,
  type AlertRecord,
  type AlertCondition,
  MAX_CODES_PER_HOUR,
  MAX_TESTS_PER_HOUR,
  type RecipientType
} from "../../domain/alert/Alert.ts"
import {
  type AlertSettings,
  formatMinute,
  parseMinute,
  type QuietHours
} from "../../domain/alert/AlertPace.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { bareNumber } from "../../domain/text/PastedText.ts"
import { action, NoInput, NoTarget } from "../Action.ts"
import { Timers } from "../timer/Timers.ts"
import { AlertCodes } from "./AlertCodes.ts"

/** Version 0: nothing is saved, and the defaults count. */
export interface SavedAlertSettings extends AlertSettings {
  readonly kinds: ReadonlyArray<AlertKind>
  readonly version: number
}

/** A missing field stays as it is. */
export interface AlertSettingsChange {
  readonly kinds?: ReadonlyArray<AlertKind> | undefined
  readonly quietHours?: QuietHours | null | undefined
  readonly urgentPasses?: boolean | undefined
}

/** What confirms an address: a code of Peyk's own, or a verification of the customer's. */
type Confirmation =
  | { readonly code: Redacted.Redacted; readonly expiresAt: Instant }
  | { readonly verificationId: string }

export interface NewRecipient {
  readonly type: RecipientType
  readonly userId: string | null
  readonly address: string | null
  /** Null: a user, whose address is known. */
  readonly confirmation: Confirmation | null
}

/** Who gets a customer's alerts, which, and when; and those that were raised. Customer 0 is the installation. */
export class Alerts extends Context.Service<
  Alerts,
  {
    readonly settings: (customerId: number) => Effect.Effect<SavedAlertSettings>
    /** @param version the expected one; null: any */
    readonly saveSettings: (
      customerId: number,
      change: AlertSettingsChange,
      version: number | null
    ) => Effect.Effect<SavedAlertSettings, PreconditionFailed>
    /** All of them, the first made first. */
    readonly recipients: (customerId: number) => Effect.Effect<ReadonlyArray<AlertRecipient>>
    readonly findRecipient: (customerId: number, id: number) => Effect.Effect<AlertRecipient, NotFound>
    /** A conflict if it is there already, or there are too many. */
    readonly addRecipient: (
      customerId: number,
      recipient: NewRecipient
    ) => Effect.Effect<AlertRecipient, Conflict>
    readonly removeRecipient: (customerId: number, id: number) => Effect.Effect<AlertRecipient, NotFound>
    /** The verification that confirms a phone; null: a code does. */
    readonly verificationOf: (customerId: number, id: number) => Effect.Effect<string | null, NotFound>
    /** Compares a code once: a right one is used up, a wrong one counts. */
    readonly compareCode: (
      customerId: number,
      id: number,
      code: Redacted.Redacted
    ) => Effect.Effect<"right" | "wrong" | "ended">
    readonly confirm: (customerId: number, id: number) => Effect.Effect<AlertRecipient, NotFound>
    /** Counts one of this hour; false: there were as many already. */
    readonly takeOfHour: (
      customerId: number,
      kind: "test" | "code",
      maximum: number
    ) => Effect.Effect<boolean>
    readonly list: (customerId: number, page: PageRequest) => Effect.Effect<Page<AlertRecord>>
    /** Raises an alert, if one is due: not on the way of a send, nor in a transaction of the caller's. */
    readonly raise: (customerId: number, condition: AlertCondition) => Effect.Effect<void>
    /** A test alert for one recipient, sent at once. A part of the caller's transaction. */
    readonly raiseTest: (customerId: number, recipient: AlertRecipient) => Effect.Effect<string>
  }
>()("peyk/services/alert/Alerts") {}

const Time = Schema.String.check(
  check((text: string) => parseMinute(text) !== null, problem("not_time_of_day", { example: "22:00" }))
).annotate({ description: "A time of the day in Tehran, as 22:00.", examples: ["22:00"] })

export const QuietHoursBody = Schema.Struct({ from: Time, until: Time })
  .check(
    check(
      ({ from, until }: { readonly from: string; readonly until: string }) => from !== until,
      problem("from_is_until")
    )
  )
  .annotate({ identifier: "QuietHours" })

export const AlertSettingsBody = Schema.Struct({
  kinds: optional(Schema.Array(AlertKind)).annotateKey({
    description: "The kinds of alerts that people get."
  }),
  quiet_hours: Schema.optionalKey(Schema.NullOr(QuietHoursBody)).annotateKey({
    description: "When alerts wait (Tehran); null: never."
  }),
  urgent_passes: optional(Schema.Boolean).annotateKey({
    description: "Whether channel_down, guard_alarm and webhook_off do not wait for the end of quiet hours."
  })
}).annotate({ identifier: "AlertSettingsChange" })

export const NewRecipientBody = Schema.Struct({
  user_id: optional(ResourceId).annotateKey({ description: "A user of the customer, who gets e-mail." }),
  email: optional(Email),
  phone: optional(PhoneText)
}).annotate({ identifier: "NewAlertRecipient" })

export const ConfirmationBody = Schema.Struct({
  code: Schema.String.check(Schema.isMaxLength(64)).annotate({
    description: "The code that was sent to the address.",
    examples: ["123456"]
  })
}).annotate({ identifier: "AlertRecipientConfirmation" })

/** The console and the API write quiet hours as times of the day. */
export const quietHoursText = (quiet: QuietHours | null) =>
  quiet === null ? null : { from: formatMinute(quiet.from), until: formatMinute(quiet.until) }

const quietHoursIn = (given: typeof AlertSettingsBody.Type.quiet_hours): QuietHours | null | undefined =>
  given == null ? given : { from: parseMinute(given.from) ?? 0, until: parseMinute(given.until) ?? 0 }

/** Something is due: this process need not wait until it would look by itself. */
const wake = Timers.use((timers) => Effect.sync(() => timers.wakeAt(0)))

export const changeAlertSettings = action("alert.save_settings", {
  input: AlertSettingsBody,
  target: NoTarget,
  access: "writer",
  before: ({ actor }) =>
    Effect.map(
      Alerts.use((alerts) => alerts.settings(actor.customerId)),
      ({ kinds, quietHours, urgentPasses }) => ({
        values: { kinds, quiet_hours: quietHoursText(quietHours), urgent_passes: urgentPasses }
      })
    ),
  run: ({ actor, version, input: { kinds, quiet_hours, urgent_passes } }) =>
    Alerts.use((alerts) =>
      alerts.saveSettings(
        actor.customerId,
        {
          kinds: kinds == null ? undefined : [...new Set(kinds)],
          quietHours: quietHoursIn(quiet_hours),
          urgentPasses: urgent_passes ?? undefined
        },
        version
      )
    ),
  audit: (_, { input }) => ({ id: "settings", details: input })
})

/** A person as the audit log may have it: an address or a phone is personal data. */
const loggedRecipient = ({ id, type, name }: AlertRecipient) => ({
  id,
  name: name !== null && !name.includes("@") ? name : null,
  details: { type }
})

type GivenRecipient = typeof NewRecipientBody.Type

/** One of the three, or the field at fault. */
const requestedRecipient = Effect.fnUntraced(function* (
  customerId: number,
  { user_id, email, phone }: GivenRecipient
) {
  const given = [user_id, email, phone].filter((each) => each != null)
  if (given.length !== 1) return yield* fieldError("email", problem("one_recipient"))
  if (user_id != null) return { type: "user" as const, userId: user_id, address: null }
  if (email != null) return { type: "email" as const, userId: null, address: email }
  // The installation has no accounts of its own to send to a phone.
  if (customerId === PLATFORM) return yield* fieldError("phone", problem("recipient_not_operator"))
  const address = yield* Effect.mapError(Effect.fromResult(parsePhone(phone ?? "")), () =>
    fieldError("phone", problem("not_mobile"))
  )
  return { type: "phone" as const, userId: null, address }
})

/** Sends the code that confirms an address. A user's address is known. */
const preparedRecipient = Effect.fnUntraced(function* (
  customerId: number,
  given: GivenRecipient
): Effect.fn.Return<NewRecipient, Conflict | ValidationError, Alerts | AlertCodes> {
  const alerts = yield* Alerts
  const codes = yield* AlertCodes
  const requested = yield* requestedRecipient(customerId, given)
  const { type, address } = requested
  if (type !== "phone" && !codes.hasMail) return yield* new Conflict({ problem: problem("alert_mail_off") })
  if (address === null) return { ...requested, confirmation: null }
  if (!(yield* alerts.takeOfHour(customerId, "code", MAX_CODES_PER_HOUR))) {
    return yield* new Conflict({ problem: problem("too_many_alert_codes", { maximum: MAX_CODES_PER_HOUR }) })
  }
  const confirmation = yield* type === "phone"
    ? codes.sendToPhone(customerId, address)
    : codes.sendToEmail(customerId, address)
  return { ...requested, confirmation }
})

/** A user gets alerts from now on; an address or a phone when its code was entered. */
export const addAlertRecipient = action("alert.add_recipient", {
  input: NewRecipientBody,
  target: NoTarget,
  access: "writer",
  prepare: ({ actor, input }) => preparedRecipient(actor.customerId, input),
  run: ({ actor }, prepared) => Alerts.use((alerts) => alerts.addRecipient(actor.customerId, prepared)),
  audit: (recipient) => loggedRecipient(recipient)
})

const wrongCode = fieldError("code", problem("alert_code_wrong"))
const endedCode = fieldError("code", problem("alert_code_ended"))

/** Counts a wrong code, whatever becomes of the rest: so it is no part of the change. */
const checkedCode = Effect.fnUntraced(function* (customerId: number, id: number, text: string) {
  const alerts = yield* Alerts
  const codes = yield* AlertCodes
  const verificationId = yield* alerts.verificationOf(customerId, id)
  const result =
    verificationId === null
      ? yield* alerts.compareCode(customerId, id, Redacted.make(bareNumber(text)))
      : yield* codes.verifyPhone(customerId, verificationId, text)
  if (result === "wrong") return yield* wrongCode
  if (result === "ended") return yield* endedCode
})

export const confirmAlertRecipient = action("alert.confirm_recipient", {
  input: ConfirmationBody,
  target: Schema.Int,
  access: "writer",
  prepare: ({ actor, target, input: { code } }) => checkedCode(actor.customerId, target, code),
  run: ({ actor, target }) => Alerts.use((alerts) => alerts.confirm(actor.customerId, target)),
  audit: (recipient) => loggedRecipient(recipient)
})

export const removeAlertRecipient = action("alert.remove_recipient", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  run: ({ actor, target }) => Alerts.use((alerts) => alerts.removeRecipient(actor.customerId, target)),
  audit: (recipient) => loggedRecipient(recipient)
})

/** Sends a test alert to one recipient. */
export const testAlertRecipient = action("alert.test", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  run: ({ actor: { customerId }, target }) =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const recipient = yield* alerts.findRecipient(customerId, target)
      if (recipient.confirmedAt === null)
        return yield* new Conflict({ problem: problem("recipient_not_confirmed") })
      if (!(yield* alerts.takeOfHour(customerId, "test", MAX_TESTS_PER_HOUR)))
        return yield* new Conflict({
          problem: problem("too_many_alert_tests", { maximum: MAX_TESTS_PER_HOUR })
        })
      return { recipient, alertId: yield* alerts.raiseTest(customerId, recipient) }
    }),
  audit: ({ recipient }) => loggedRecipient(recipient),
  after: wake
})
