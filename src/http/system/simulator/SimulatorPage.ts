import { Effect } from "effect"
import { Channel } from "../../../domain/routing/Channel.ts"
import { SIGN_IN_PATH } from "../../console/ConsolePaths.ts"
import { answerDocument } from "../../console/frame/Answers.ts"
import { choices, htmlDocument, icon } from "../../console/frame/Document.ts"
import { html, type Html } from "../../console/frame/Html.ts"
import type { Visit } from "../../console/frame/Visit.ts"
import { filters } from "../../console/parts/lists/Filters.ts"
import { channelName } from "../../console/parts/Text.ts"
import { outcomesPanel } from "./OutcomesPanel.ts"
import { personOf } from "./Person.ts"
import { receivedMessages } from "./ReceivedMessages.ts"

const signInHint = ({ locale: { say } }: Visit): Html =>
  html`<section class="panel panel-body">
    <p class="muted">
      ${say("To force the outcome of a send, or to delete messages,", "برای تعیین نتیجهٔ یک ارسال یا حذف پیام‌ها،")}
      <a href="${SIGN_IN_PATH}">${say("sign in to the console", "وارد کنسول شوید")}</a>.
    </p>
  </section>`

const searchForm = (visit: Visit): Html => {
  const { say } = visit.locale
  return filters(visit, [
    { name: "phone", label: say("Phone", "شماره"), type: "tel", placeholder: "0912…", isLtr: true },
    { name: "text", label: say("Text or code", "متن یا کد") },
    {
      name: "channel",
      label: say("Channel", "کانال"),
      any: say("All channels", "همهٔ کانال‌ها"),
      choices: Channel.literals.map((channel) => [channel, channelName(channel, visit.locale)])
    }
  ])
}

/** The phones of the simulator: anybody who reaches the server may look; to change something, one signs in. */
export const simulatorPage = Effect.fnUntraced(function* (visit: Visit) {
  const { say } = visit.locale
  const person = yield* personOf(visit)
  const title = say("Simulator", "شبیه‌ساز")
  const writer = person?.actor.scope === "full" ? person : null
  const aside = writer === null ? signInHint(visit) : yield* outcomesPanel(visit, writer)
  const body = html`<body class="plain">
    <a class="skip" href="#main">${say("Skip to content", "رفتن به محتوا")}</a>
    <main id="main" tabindex="-1">
      <div class="top simulator-top">
        <a class="brand" href="/console">${icon("peyk")}<span>${say("Peyk", "پیک")}</span></a>
        ${choices(visit)}
      </div>
      <div class="heading">
        <div>
          <h1>${title}</h1>
          <p class="lead">
            ${say("Phones for development: nothing leaves this server.", "گوشی‌های آزمایشی: چیزی از این سرور بیرون نمی‌رود.")}
          </p>
        </div>
      </div>
      ${searchForm(visit)}
      <div class="columns">
        <div class="stack">${yield* receivedMessages(visit, writer)}</div>
        <div class="stack">${aside}</div>
      </div>
    </main>
  </body>`
  return answerDocument(visit, htmlDocument(visit, title, body))
})
