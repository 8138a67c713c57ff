import { Effect, Schema } from "effect"
import type { ConsolePages } from "../ConsolePages.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import { byField, type FieldErrors } from "../forms/FormFields.ts"
import { seeOther } from "../frame/Responses.ts"
import { change, page, pathId, type View } from "../frame/SignedRoutes.ts"
import { type NoticeKey, withNotice } from "../parts/Notice.ts"
import { foldDigits } from "../../../domain/text/PastedText.ts"
import {
  addAlertRecipient,
  changeAlertSettings,
  confirmAlertRecipient,
  removeAlertRecipient,
  testAlertRecipient
} from "../../../services/alert/Alerts.ts"
import { ALERTS_PATH, alertsPage, RECIPIENTS_PATH, SETTINGS_PATH } from "./AlertsPage.ts"

const done = (key: NoticeKey) => () => seeOther(withNotice(ALERTS_PATH, key))

/** Errors of the API's fields, by the one field that the form has for them. */
const ofField = (errors: FieldErrors, field: string, names: ReadonlyArray<string>): FieldErrors =>
  new Map([...errors].map(([name, message]) => [names.includes(name) ? field : name, message]))

const again =
  (form: string, field: string, names: ReadonlyArray<string>) =>
  (view: View, submitted: URLSearchParams, errors: FieldErrors) =>
    alertsPage(view, { form, submitted, errors: ofField(byField(errors), field, names) })

const recipientOf = (fields: URLSearchParams) => {
  const address = fields.get("address")?.trim()
  if (address === undefined) return { user_id: fields.get("user_id") }
  return address.includes("@") ? { email: address } : { phone: address }
}

const submitRecipient = (view: View, fields: URLSearchParams) => {
  const form = fields.has("address") ? "address" : "user"
  return onceFormAction(addAlertRecipient, {
    target: creating,
    input: recipientOf,
    shown: Schema.Boolean,
    show: ({ confirmedAt }) => confirmedAt === null,
    done: (_, isWaiting) => done(isWaiting ? "code_sent" : "created")(),
    again: again(form, form === "address" ? "address" : "user_id", ["email", "phone", "user_id"])
  })(view, fields)
}

const submitCode = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    formAction(confirmAlertRecipient, {
      target: Effect.succeed(id),
      input: (given) => ({ code: given.get("code") ?? "" }),
      done: done("confirmed"),
      again: again(`confirm:${id}`, "code", ["code"])
    })(view, fields)
  )

const submitTest = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    onceFormAction(testAlertRecipient, {
      target: Effect.succeed(id),
      shown: Schema.Null,
      show: () => null,
      done: done("sent")
    })(view, fields)
  )

const submitRemoval = formAction(removeAlertRecipient, { target: pathId, done: done("deleted") })

/** Both empty: there are no quiet hours. People write 8:00 for 08:00. */
const quietHoursOf = (fields: URLSearchParams) => {
  const [from = "", until = ""] = ["quiet_from", "quiet_until"].map((name) =>
    foldDigits(fields.get(name)?.trim() ?? "").replace(/^\d:/, "0$&")
  )
  return from === "" && until === "" ? null : { from, until }
}

const submitSettings = formAction(changeAlertSettings, {
  target: creating,
  input: (fields) => ({
    kinds: fields.getAll("kinds"),
    quiet_hours: quietHoursOf(fields),
    urgent_passes: fields.has("urgent_passes")
  }),
  done: done("saved"),
  again: (view, submitted, errors) =>
    alertsPage(view, {
      form: "settings",
      submitted,
      errors: new Map(
        [...errors].map(([name, message]) => [
          name.endsWith(".until") ? "quiet_until" : name.startsWith("quiet_hours") ? "quiet_from" : name,
          message
        ])
      )
    })
})

const RECIPIENT_PATH = `${RECIPIENTS_PATH}/:id` as const

/** Who is alerted of trouble: a customer's people, or those who run the installation. */
export const alertPages = {
  name: "alerts",
  routes: [
    page(ALERTS_PATH, (view) => alertsPage(view, null)),
    change(SETTINGS_PATH, submitSettings),
    change(RECIPIENTS_PATH, submitRecipient),
    change(`${RECIPIENT_PATH}/confirm`, submitCode),
    change(`${RECIPIENT_PATH}/test`, submitTest),
    change(`${RECIPIENT_PATH}/remove`, submitRemoval)
  ]
} as const satisfies ConsolePages
