import { Clock, Effect, Option } from "effect"
import { isIdPosition } from "../../domain/Paging.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { foldDigits } from "../../domain/text/PastedText.ts"
import { type Actor, scopeOfRole } from "../../domain/user/Actor.ts"
import { userActor } from "../../domain/user/Sessions.ts"
import { SIGN_IN_PATH } from "../console/ConsolePaths.ts"
import { SIMULATOR_PATH } from "../console/Navigation.ts"
import { isSimulated, outcomeButtons } from "../console/account/AccountParts.ts"
import { csrfField } from "../console/forms/Forms.ts"
import { documentResponse } from "../console/frame/Responses.ts"
import { csrfOfSession, sessionSecret } from "../console/frame/Cookies.ts"
import { choices, htmlDocument, icon } from "../console/frame/Document.ts"
import { html, type Html } from "../console/frame/Html.ts"
import { addressWith, type Visit } from "../console/frame/Visit.ts"
import { copyButton } from "../console/parts/Code.ts"
import { emptyState, filters, pager, pageRequest } from "../console/parts/Lists.ts"
import { channelName, directionOf, isolated, ltr } from "../console/parts/Text.ts"
import { Accounts, FIRST_ACCOUNTS } from "../../services/account/Accounts.ts"
import { type ReceivedMessage, Simulator } from "../../services/system/Simulator.ts"
import { ConsoleSessions } from "../../services/user/ConsoleSessions.ts"

/** The visitor who is signed in to the console in the same browser. */
interface Person {
  readonly actor: Actor
  readonly csrf: string
}

/** Null: nobody, which is enough to look. */
export const personOf = Effect.fnUntraced(function* (visit: Visit) {
  const secret = sessionSecret(visit)
  if (secret === null) return null
  const session = yield* (yield* ConsoleSessions).use(secret, yield* Clock.currentTimeMillis)
  if (Option.isNone(session) || session.value.mustEnrol) return null
  const { id, user } = session.value
  const person: Person = {
    actor: userActor(user, scopeOfRole(user.role), id),
    csrf: csrfOfSession(secret)
  }
  return person
})

/** Buttons for the next outcome of each simulated account of the person's customer. */
const outcomesPanel = Effect.fnUntraced(function* (visit: Visit, { actor, csrf }: Person) {
  const { locale } = visit
  const { items } = yield* (yield* Accounts).list(actor.customerId, FIRST_ACCOUNTS)
  const simulated = items.filter(isSimulated)
  const forced = yield* (yield* Simulator).forced(simulated.map(({ id }) => id))
  if (simulated.length === 0) return null
  return html`<section class="panel" aria-labelledby="outcomes-title">
    <div class="panel-head">
      <h2 id="outcomes-title">${locale.say("Next send", "ارسال بعدی")}</h2>
      <span class="muted">${locale.say("Once per account", "برای هر حساب یک بار")}</span>
    </div>
    <ul class="panel-body stack-tight">
      ${simulated.map(
        ({ id, label }) =>
          html`<li class="stack-tight">
            <strong>${isolated(label)}</strong>
            ${outcomeButtons({ csrf, locale }, id, forced.get(id), "simulator")}
          </li>`
      )}
    </ul>
  </section>`
})

export const DELETE_PATH = "/simulator/delete"

const deleteButton = (csrf: string, fields: Readonly<Record<string, string>>, label: Html | string): Html =>
  html`<form method="post" action="${DELETE_PATH}">
    ${csrfField(csrf)}
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button class="button quiet small">${label}</button>
  </form>`

/** The row of a message, which leads to its preview. */
const messageItem = (message: ReceivedMessage, visit: Visit, isShown: boolean): Html => {
  const { locale } = visit
  const { id, phone, channel, text, code, at } = message
  return html`<li>
    <a href="${addressWith(visit, { message: String(id) })}#preview" ${isShown && html`aria-current="true"`}>
      <span class="inbox-head">
        <strong>${ltr(phone)}</strong>
        <span class="muted">${channelName(channel, locale)} · ${locale.clock(at)}</span>
      </span>
      <span class="inbox-text" dir="${directionOf(text)}">${text.replaceAll(/\s+/g, " ")}</span>
      ${code !== null && html`<span class="inbox-code mono">${ltr(code)}</span>`}
    </a>
  </li>`
}

/** The message on its phone. */
const previewPanel = (message: ReceivedMessage, visit: Visit, person: Person | null): Html => {
  const { say, time } = visit.locale
  const { id, phone, channel, text, code, at } = message
  return html`<section class="panel" id="preview" aria-labelledby="preview-title">
    <div class="panel-head">
      <h2 id="preview-title">${ltr(phone)}</h2>
      <a href="${SIMULATOR_PATH}?phone=${encodeURIComponent(phone)}">
        ${say("All to this phone", "همهٔ پیام‌های این شماره")}
      </a>
    </div>
    <div class="panel-body stack-tight">
      <p class="bubble-head">
        <span>${channelName(channel, visit.locale)}</span><span class="muted">${time(at)}</span>
      </p>
      <p class="bubble" dir="auto">${text}</p>
      <div class="received-foot">
        ${
          code !== null &&
          html`<span
            ><strong class="mono">${ltr(code)}</strong>
            ${copyButton(code, say("Copy code", "کپی کد"), visit.locale)}</span
          >`
        }
        ${
          person !== null &&
          deleteButton(
            person.csrf,
            { id: String(id) },
            html`${icon("remove")}<span>${say("Delete message", "حذف پیام")}</span>`
          )
        }
      </div>
    </div>
  </section>`
}

/** `0912…` and `+98912…` are parts of the same number. */
const digitsOf = (phone: string): string =>
  foldDigits(phone)
    .replace(/\D/g, "")
    .replace(/^(?:0098|98|0)/, "")

const search = Effect.fnUntraced(function* (visit: Visit) {
  const word = (name: string) => visit.query.get(name)?.trim() || undefined
  const phone = word("phone")
  return yield* (yield* Simulator).search({
    ...(yield* pageRequest(visit, isIdPosition)),
    phone: phone === undefined ? undefined : digitsOf(phone),
    channel: word("channel"),
    text: word("text")
  })
})

/** The messages that were found, and the one that is shown whole: the chosen one, or the newest. */
const receivedMessages = Effect.fnUntraced(function* (
  visit: Visit,
  person: Person | null,
  aside: Html | null
) {
  const { say } = visit.locale
  const { items, next } = yield* search(visit)
  const chosen = items.find(({ id }) => String(id) === visit.query.get("message"))
  const shown = chosen ?? items[0]
  const list =
    items.length === 0
      ? emptyState(
          say("No messages", "پیامی نیست"),
          say(
            "Codes and messages sent over simulated accounts appear here.",
            "کدها و پیام‌هایی که با حساب شبیه‌سازی‌شده ارسال شوند اینجا دیده می‌شوند."
          ),
          { href: "/console/test", label: say("Send a test", "ارسال آزمایشی") }
        )
      : html`<ol class="inbox">
          ${items.map((message) => messageItem(message, visit, message === shown))}
        </ol>`
  return html`<div class="mailbox ${chosen !== undefined && "chosen"}" id="received" data-live="2">
    <section class="panel" aria-labelledby="received-title">
      <div class="panel-head">
        <h2 id="received-title">${say("Received messages", "پیام‌های دریافتی")}</h2>
        ${
          person !== null &&
          items.length > 0 &&
          deleteButton(person.csrf, { all: "true" }, say("Delete all", "حذف همه"))
        }
      </div>
      ${list} ${pager(visit, next)}
    </section>
    <div class="stack">${shown !== undefined && previewPanel(shown, visit, person)} ${aside}</div>
  </div>`
})

const signInHint = ({ locale: { say } }: Visit): Html =>
  html`<section class="panel panel-body">
    <p class="muted">
      ${say("To force the outcome of a send, or to delete messages,", "برای تعیین نتیجهٔ ارسال یا حذف پیام‌ها،")}
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
            ${say("Simulated phones for development: nothing leaves this server.", "گوشی‌های شبیه‌سازی‌شده برای توسعه: چیزی از این سرور بیرون نمی‌رود.")}
          </p>
        </div>
      </div>
      ${searchForm(visit)} ${yield* receivedMessages(visit, writer, aside)}
    </main>
  </body>`
  return documentResponse(visit, htmlDocument(visit, title, body))
})
