import { Clock, Effect } from "effect"
import { fieldError } from "../../../../domain/Errors.ts"
import { isFresh } from "../../../../domain/people/Actor.ts"
import { instantOf } from "../../../../domain/TimePosition.ts"
import { Users } from "../../../../services/resources/access/Users.ts"
import { CustomerRecords } from "../../../../services/resources/CustomerRecords.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { SIGN_IN_PATH } from "../../ConsolePaths.ts"
import { seeOther } from "../../frame/Answers.ts"
import { clearSession } from "../../frame/Cookies.ts"
import { showAgain } from "../../frame/forms/ShownAgain.ts"
import { decodeInput } from "../../../errors/SchemaErrors.ts"
import { writeAs } from "../../frame/forms/Writes.ts"
import { asPlatform, form, ownerChange, page, type View } from "../../frame/SignedRoutes.ts"
import { withNotice } from "../../parts/Notice.ts"
import { CustomerForm, PasswordForm, SETTINGS_PATH } from "./SettingsForms.ts"
import { settingsPage } from "./SettingsPage.ts"
import { hashed } from "./UserPasswords.ts"
import { problem } from "../../../../domain/Problem.ts"

const customerEntry = auditEntriesOf("customer")
const userEntry = auditEntriesOf("user")

const saveCustomer = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    const customers = yield* CustomerRecords
    const typed = (name: string) => {
      const text = (fields.get(name) ?? "").trim()
      return text === "" ? null : text
    }
    const { name, brand, locale, webotp_host } = yield* decodeInput(CustomerForm, {
      name: fields.get("name")?.trim(),
      brand: typed("brand"),
      locale: typed("locale"),
      webotp_host: typed("webotp_host")
    })
    const change = { name, brand, webOtpHost: webotp_host, ...(locale == null ? {} : { locale }) }
    yield* writeAs(
      view,
      "customer.update",
      Effect.map(customers.update(view.actor.customerId, change), (result) => ({
        result,
        audit: customerEntry("update", result.id, { name, brand, locale, webotp_host })
      }))
    )
    return seeOther(withNotice(SETTINGS_PATH, "saved"))
  }).pipe(
    Effect.catch(showAgain(view, (errors) => settingsPage(view, { form: "customer", typed: fields, errors })))
  )

/**
 * A new password needs a recent sign-in: a person who finds an open session must not take over the account. By a link
 * of somebody else people come to choose their password.
 */
const requireOwnFresh = Effect.fnUntraced(function* ({ session }: View) {
  const signedInAt = session.signedInAt ?? instantOf(session.id)
  if (!isFresh({ signedInAt }, yield* Clock.currentTimeMillis)) {
    return yield* fieldError("password", problem("password_needs_sign_in"))
  }
})

/** People change their own password in their own account's audit log; operators in the platform's. */
const inOwnLog = (view: View): View => (view.session.user.isOperator === true ? asPlatform(view) : view)

const setPassword = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    yield* requireOwnFresh(view)
    const own = inOwnLog(view)
    const users = yield* Users
    const { password } = yield* decodeInput(PasswordForm, { password: fields.get("password") })
    const passwordHash = yield* hashed(own, password)
    yield* writeAs(
      own,
      "user.set_password",
      Effect.map(users.setPassword(own.actor.customerId, view.session.user.id, passwordHash), (result) => ({
        result,
        audit: userEntry("set_password", result.id)
      }))
    )
    return clearSession(seeOther(withNotice(SIGN_IN_PATH, "password_set")), view)
  }).pipe(
    Effect.catch(showAgain(view, (errors) => settingsPage(view, { form: "password", typed: fields, errors })))
  )

/** The account's own details, and what everybody sets for themselves. */
export const settingsPages = {
  name: "settings",
  routes: [
    page(SETTINGS_PATH, (view) => settingsPage(view, null)),
    ownerChange(SETTINGS_PATH, saveCustomer),
    form(`${SETTINGS_PATH}/password`, setPassword)
  ]
} as const satisfies ConsolePages
