import { Effect } from "effect"
import { ConsoleSignIns } from "../../../../services/access/ConsoleSignIns.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { CONSOLE_PATH, HOME_PATH, SIGN_IN_PATH, SIGN_OUT_PATH } from "../../ConsolePaths.ts"
import { redirectTo, seeOther } from "../../frame/Answers.ts"
import { clearSession } from "../../frame/Cookies.ts"
import { form, raw, type View } from "../../frame/SignedRoutes.ts"

const signedOut = (view: View) => clearSession(seeOther(SIGN_IN_PATH), view)

/** Where a session begins and ends. */
export const sessionPages = {
  name: null,
  routes: [
    raw(CONSOLE_PATH, (view) => Effect.succeed(redirectTo(view, HOME_PATH))),
    form(SIGN_OUT_PATH, (view) =>
      ConsoleSignIns.use((signIns) => signIns.signOut(view.session, view.origin)).pipe(
        Effect.as(signedOut(view))
      )
    ),
    form(`${SIGN_OUT_PATH}-everywhere`, (view) =>
      ConsoleSignIns.use((signIns) => signIns.signOutEverywhere(view.session, view.origin)).pipe(
        Effect.as(signedOut(view))
      )
    )
  ]
} as const satisfies ConsolePages
