import { Effect } from "effect"
import { isIdPosition } from "../../../domain/Paging.ts"
import { foldDigits } from "../../../domain/text/PastedText.ts"
import { type ReceivedMessage, Simulator } from "../../../services/system/Simulator.ts"
import { icon } from "../../console/frame/Document.ts"
import { csrfField } from "../../console/frame/forms/Forms.ts"
import { html, type Html } from "../../console/frame/Html.ts"
import type { Visit } from "../../console/frame/Visit.ts"
import { SIMULATOR_PATH } from "../../console/Navigation.ts"
import { copyButton } from "../../console/parts/CopyButton.ts"
import { emptyState } from "../../console/parts/lists/EmptyState.ts"
import { pager, pageRequest } from "../../console/parts/lists/Pager.ts"
import { channelName, ltr } from "../../console/parts/Text.ts"
import type { Person } from "./Person.ts"

export const DELETE_PATH = "/simulator/delete"

const deleteButton = (csrf: string, fields: Readonly<Record<string, string>>, label: Html | string): Html =>
  html`<form method="post" action="${DELETE_PATH}">
    ${csrfField(csrf)}
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button class="button quiet small">${label}</button>
  </form>`

const messageItem = (message: ReceivedMessage, { locale }: Visit, person: Person | null): Html => {
  const { say, time } = locale
  const { id, phone, channel, text, code, at } = message
  return html`<li class="received">
    <p class="bubble-head">
      <a href="${SIMULATOR_PATH}?phone=${encodeURIComponent(phone)}">${ltr(phone)}</a>
      <span class="muted">${channelName(channel, locale)} · ${time(at)}</span>
    </p>
    <p class="bubble" dir="auto">${text}</p>
    <div class="received-foot">
      ${
        code !== null &&
        html`<span
          ><strong class="mono">${ltr(code)}</strong>
          ${copyButton(code, say("Copy the code", "کپی کد"), locale)}</span
        >`
      }
      ${
        person !== null &&
        deleteButton(
          person.csrf,
          { id: String(id) },
          html`${icon("remove")}<span class="hidden">${say("Delete the message", "حذف پیام")}</span>`
        )
      }
    </div>
  </li>`
}

/** `0912…` and `+98912…` are parts of the same number. */
const digitsOf = (phone: string): string =>
  foldDigits(phone)
    .replace(/\D/g, "")
    .replace(/^(?:0098|98|0)/, "")

export const receivedMessages = Effect.fnUntraced(function* (visit: Visit, person: Person | null) {
  const { query, locale } = visit
  const { say } = locale
  const word = (name: string) => query.get(name)?.trim() || undefined
  const phone = word("phone")
  const { items, next } = yield* (yield* Simulator).search({
    ...(yield* pageRequest(visit, isIdPosition)),
    phone: phone === undefined ? undefined : digitsOf(phone),
    channel: word("channel"),
    text: word("text")
  })
  const list =
    items.length === 0
      ? emptyState(
          say("Nothing has arrived", "هنوز چیزی نرسیده است"),
          say(
            "What is sent over simulated accounts appears here, with its code.",
            "آنچه با حساب‌های شبیه‌سازی‌شده فرستاده شود، با کدش اینجا دیده می‌شود."
          ),
          { href: "/console/test", label: say("Send a test", "ارسال آزمایشی") }
        )
      : html`<ol class="panel-body received-list">
          ${items.map((message) => messageItem(message, visit, person))}
        </ol>`
  return html`<section class="panel" id="received" data-live="2" aria-labelledby="received-title">
    <div class="panel-head">
      <h2 id="received-title">${say("What the phones received", "آنچه گوشی‌ها گرفتند")}</h2>
      ${person !== null && items.length > 0 && deleteButton(person.csrf, { all: "true" }, say("Delete all", "حذف همه"))}
    </div>
    ${list} ${pager(visit, next)}
  </section>`
})
