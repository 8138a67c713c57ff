import { Schema } from "effect"
import { Instant } from "../../../../domain/Instant.ts"
import { signInUrl } from "../../ConsolePaths.ts"
import { html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { secretPanel } from "../../parts/Secret.ts"
import { ltr } from "../../parts/Text.ts"
import { USERS_PATH } from "./UsersPage.ts"

/** What is kept of a link, and shown. */
export const ShownLink = Schema.Struct({
  secret: Schema.RedactedFromValue(Schema.String),
  expiresAt: Instant
})

/** The only page that shows the link. */
export const linkPage = (view: View, email: string, { secret, expiresAt }: typeof ShownLink.Type): Page => {
  const { say, clock } = view.locale
  return {
    title: say("A sign-in link", "پیوند ورود"),
    name: "users",
    lead: ltr(email),
    content: secretPanel(
      {
        label: say("The link", "پیوند"),
        secret: signInUrl(view.baseUrl, secret),
        done: USERS_PATH,
        more: html`<p class="hint">
          ${say("It works once, until", "یک بار کار می‌کند، تا")} ${clock(expiresAt)}.
          ${say("Send it to them in a way that you trust.", "از راهی که به آن اطمینان دارید برسانید.")}
        </p>`
      },
      view.locale
    )
  }
}
