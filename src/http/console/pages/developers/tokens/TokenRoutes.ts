import { Effect } from "effect"
import { Tokens } from "../../../../../services/resources/access/Tokens.ts"
import { auditEntriesOf } from "../../../../../services/resources/ManagementWrites.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { seeOther } from "../../../frame/Answers.ts"
import { writeAs } from "../../../frame/forms/Writes.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { ownerChange, ownerPage, page, type View } from "../../../frame/SignedRoutes.ts"
import { withNotice } from "../../../parts/Notice.ts"
import { createToken, showNewToken } from "./NewTokenPage.ts"
import { NEW_TOKEN_PATH, showTokens, TOKENS_PATH } from "./TokensPage.ts"

const entry = auditEntriesOf("token")

const revokeToken = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const tokens = yield* Tokens
  yield* writeAs(
    view,
    "token.revoke",
    Effect.map(tokens.revoke(view.actor.customerId, id), (result) => ({ result, audit: entry("revoke", id) }))
  )
  return seeOther(withNotice(TOKENS_PATH, "revoked"))
})

/** Personal access tokens, which owners make. */
export const tokenPages = {
  name: "tokens",
  routes: [
    page(TOKENS_PATH, showTokens),
    ownerPage(NEW_TOKEN_PATH, showNewToken),
    ownerChange(NEW_TOKEN_PATH, createToken),
    ownerChange(`${TOKENS_PATH}/:id/revoke`, revokeToken)
  ]
} as const satisfies ConsolePages
