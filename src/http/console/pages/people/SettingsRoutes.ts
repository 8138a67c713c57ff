import type { ConsolePages } from "../../ConsolePages.ts"
import { changeCustomer } from "../../../../services/resources/CustomerActions.ts"
import { setOwnPassword } from "../../../../services/resources/access/UserActions.ts"
import { SIGN_IN_PATH } from "../../ConsolePaths.ts"
import { seeOther } from "../../frame/Answers.ts"
import { clearSession } from "../../frame/Cookies.ts"
import { creating, formAction } from "../../frame/forms/ActionForms.ts"
import { change, form, inOwnLog, page } from "../../frame/SignedRoutes.ts"
import { withNotice } from "../../parts/Notice.ts"
import { SETTINGS_PATH } from "./SettingsForms.ts"
import { settingsPage } from "./SettingsPage.ts"

/** The fields that the form has: only owners change the account's name. An empty one ends what was set. */
const customerInput = (fields: URLSearchParams) => {
  const typed = ["brand", "locale", "webotp_host"].filter((name) => fields.has(name))
  const entries = typed.map((name) => [name, fields.get(name)?.trim() || null] as const)
  const name = fields.get("name")?.trim()
  return { ...Object.fromEntries(entries), ...(name === undefined ? {} : { name }) }
}

const submitCustomer = formAction(changeCustomer, {
  target: creating,
  input: customerInput,
  done: () => seeOther(withNotice(SETTINGS_PATH, "saved")),
  again: (view, fields, errors) => settingsPage(view, { form: "customer", typed: fields, errors })
})

/** A new password of their own. They sign in with it. */
const submitPassword = formAction(setOwnPassword, {
  target: creating,
  as: inOwnLog,
  input: (fields) => ({ password: fields.get("password") }),
  done: (view) => clearSession(seeOther(withNotice(SIGN_IN_PATH, "password_set")), view),
  again: (view, fields, errors) => settingsPage(view, { form: "password", typed: fields, errors })
})

/** The account's own details, and what everybody sets for themselves. */
export const settingsPages = {
  name: "settings",
  routes: [
    page(SETTINGS_PATH, (view) => settingsPage(view, null)),
    change(SETTINGS_PATH, submitCustomer),
    form(`${SETTINGS_PATH}/password`, submitPassword)
  ]
} as const satisfies ConsolePages
