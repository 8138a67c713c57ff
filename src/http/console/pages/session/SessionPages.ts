import { Effect } from "effect"
import { signOut, signOutEverywhere } from "../../../../services/user/UserActions.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { CONSOLE_PATH, HOME_PATH, SIGN_IN_PATH, SIGN_OUT_PATH } from "../../ConsolePaths.ts"
import { redirectTo, seeOther } from "../../frame/Answers.ts"
import { clearSession } from "../../frame/Cookies.ts"
import { creating, formAction } from "../../frame/forms/ActionForms.ts"
import { form, inOwnLog, raw, type View } from "../../frame/SignedRoutes.ts"

const signedOut = (view: View) => clearSession(seeOther(SIGN_IN_PATH), view)

const submitSignOut = (view: View, fields: URLSearchParams) =>
  formAction(signOut, { target: Effect.succeed(view.session.id), as: inOwnLog, done: signedOut })(
    view,
    fields
  )

const submitSignOutEverywhere = formAction(signOutEverywhere, {
  target: creating,
  as: inOwnLog,
  done: signedOut
})

/** Where a session begins and ends. */
export const sessionPages = {
  name: null,
  routes: [
    raw(CONSOLE_PATH, (view) => Effect.succeed(redirectTo(view, HOME_PATH))),
    form(SIGN_OUT_PATH, submitSignOut),
    form(`${SIGN_OUT_PATH}-everywhere`, submitSignOutEverywhere)
  ]
} as const satisfies ConsolePages
