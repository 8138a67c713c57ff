import { revokeToken } from "../../../../../services/key/TokenActions.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { seeOther } from "../../../frame/Answers.ts"
import { formAction } from "../../../frame/forms/ActionForms.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { ownerChange, ownerPage, page } from "../../../frame/SignedRoutes.ts"
import { withNotice } from "../../../parts/Notice.ts"
import { showNewToken, submitNewToken } from "./NewTokenPage.ts"
import { NEW_TOKEN_PATH, showTokens, TOKENS_PATH } from "./TokensPage.ts"

const submitRevocation = formAction(revokeToken, {
  target: pathId,
  done: () => seeOther(withNotice(TOKENS_PATH, "revoked"))
})

/** Personal access tokens, which owners make. */
export const tokenPages = {
  name: "tokens",
  routes: [
    page(TOKENS_PATH, showTokens),
    ownerPage(NEW_TOKEN_PATH, showNewToken),
    ownerChange(NEW_TOKEN_PATH, submitNewToken),
    ownerChange(`${TOKENS_PATH}/:id/revoke`, submitRevocation)
  ]
} as const satisfies ConsolePages
