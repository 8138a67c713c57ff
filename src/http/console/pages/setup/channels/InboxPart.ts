import { Effect } from "effect"
import { type AccountRecord, Accounts } from "../../../../../services/account/Accounts.ts"
import { html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { codeBlock } from "../../../parts/CodeBlock.ts"
import { confirmButton } from "../../../parts/Confirm.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"

/**
 * The secret path that updates of an account's bot are posted to; null where nobody writes to it. Not for viewers:
 * who has the path can post a contact as a person's own.
 */
export const inboxPanel = Effect.fnUntraced(function* (view: View, { id }: AccountRecord) {
  const { say } = view.locale
  if (view.actor.scope !== "full") return null
  const path = yield* (yield* Accounts)
    .inboxPath(view.actor.customerId, id, false)
    .pipe(Effect.catchTag("conflict", () => Effect.succeed(null)))
  if (path === null) return null
  return html`<section class="panel" aria-labelledby="inbox-title">
    <div class="panel-head">
      <h2 id="inbox-title">${say("Inbox", "صندوق ورودی")}</h2>
      ${confirmButton(view, {
        action: `${CHANNELS_PATH}/${id}/inbox/rotate`,
        label: say("New path", "مسیر تازه"),
        isSmall: true,
        question: say("The current path stops working at once.", "مسیر کنونی بی‌درنگ از کار می‌افتد."),
        confirm: say("Make a new path", "مسیر تازه بساز")
      })}
    </div>
    <div class="panel-body stack-tight">
      <p class="muted">
        ${say(
          "The platform, or your mini-app's backend, posts what people do with the bot to this path. Keep it secret.",
          "پیام‌رسان یا سرور مینی‌اپ شما کارهای مردم با بات را به این مسیر می‌فرستد. آن را پنهان نگه دارید."
        )}
      </p>
      ${codeBlock(say("Path", "مسیر"), path, view.locale)}
    </div>
  </section>`
})
