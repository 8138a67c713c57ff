import { Effect } from "effect"
import { ConsoleSignIns } from "../../../services/access/ConsoleSignIns.ts"
import { CONSOLE_PATH, HOME_PATH, SIGN_IN_PATH, SIGN_OUT_PATH } from "../ConsolePaths.ts"
import { redirectTo, seeOther } from "../frame/Answers.ts"
import { clearSession } from "../frame/Cookies.ts"
import type { SignedPages, View } from "../frame/SignedPages.ts"

export const SIGN_OUT_EVERYWHERE_PATH = `${SIGN_OUT_PATH}-everywhere`

const signedOut = (view: View) => clearSession(seeOther(SIGN_IN_PATH), view)

/** Where a session begins and ends. */
export const sessionPages = Effect.fnUntraced(function* ({ form, raw }: SignedPages) {
  const signIns = yield* ConsoleSignIns
  return [
    raw(CONSOLE_PATH, (view) => Effect.succeed(redirectTo(view, HOME_PATH))),
    form(SIGN_OUT_PATH, (view) => Effect.as(signIns.signOut(view.session, view.origin), signedOut(view))),
    form(SIGN_OUT_EVERYWHERE_PATH, (view) =>
      Effect.as(signIns.signOutEverywhere(view.session, view.origin), signedOut(view))
    )
  ]
})
