import { Clock, Effect } from "effect"
import { maskPhone, type Phone } from "../../../domain/Phone.ts"
import type { GuardList } from "../../../domain/guard/GuardSettings.ts"
import { prefixOf } from "../../../domain/guard/Segments.ts"
import { effectiveStatus } from "../../../domain/verification/Verification.ts"
import { pathOf } from "../Navigation.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { stateBadge, type Tone } from "../parts/Badge.ts"
import { copyButton } from "../parts/Code.ts"
import { confirmButton } from "../parts/Confirm.ts"
import { pageLink } from "../parts/Panels.ts"
import { phonePath } from "../parts/Phones.ts"
import { phoneText } from "../parts/Text.ts"
import { mayPerform } from "../../../services/Action.ts"
import { CustomerRecords } from "../../../services/customer/CustomerRecords.ts"
import { GuardRecords } from "../../../services/guard/GuardRecords.ts"
import { RequestLog, RequestRecords } from "../../../services/activity/RequestLog.ts"
import { MessageRecords } from "../../../services/message/MessageRecords.ts"
import { erasePhone } from "../../../services/PhoneErasures.ts"
import { PhoneRecords } from "../../../services/PhoneRecords.ts"
import { Settings } from "../../../services/Settings.ts"
import { VerificationRecords } from "../../../services/verification/VerificationRecords.ts"

import {
  codesPart,
  contactsPart,
  guardPart,
  type KnownPhone,
  limitsPart,
  messagesPart,
  refusalsPart,
  SHOWN
} from "./PhoneParts.ts"

const readPhone = Effect.fnUntraced(function* ({ actor: { customerId } }: View, phone: Phone) {
  const now = yield* Clock.currentTimeMillis
  const page = { phone, limit: SHOWN, after: null }
  const guard = yield* GuardRecords
  const records = yield* PhoneRecords
  const settings = yield* Settings
  // Whoever has just made a request looks for it.
  yield* (yield* RequestLog).flush
  const lists = {
    deny: yield* guard.entries(customerId, "deny"),
    allow: yield* guard.entries(customerId, "allow")
  }
  const entryIn = (list: GuardList) =>
    lists[list].find(({ type, value }) => type === "phone" && value === phone)
  const { openAlarms } = yield* guard.state(customerId)
  const own = yield* (yield* CustomerRecords).limits(customerId)
  const known: KnownPhone = {
    phone,
    now,
    codes: yield* (yield* VerificationRecords).list(customerId, page),
    messages: yield* (yield* MessageRecords).list(customerId, page),
    refusals: yield* (yield* RequestRecords).refusals(customerId, phone, SHOWN + 1),
    logDays: settings.requestLogDays,
    contacts: yield* records.contacts(customerId, phone),
    uses: yield* records.uses(customerId, phone),
    limits: {
      ...own,
      phone_hour: own.phone_hour ?? settings.phoneHourLimit,
      phone_day: own.phone_day ?? settings.phoneDayLimit,
      message_phone_hour: own.message_phone_hour ?? settings.messagePhoneHourLimit,
      message_phone_day: own.message_phone_day ?? settings.messagePhoneDayLimit
    },
    entries: { deny: entryIn("deny"), allow: entryIn("allow") },
    prefixes: [...lists.deny, ...lists.allow].filter(
      ({ type, value }) => type === "prefix" && phone.startsWith(value)
    ),
    alarms: openAlarms.filter(
      ({ kind, key }) =>
        (kind === "phone" && key === maskPhone(phone)) || (kind === "prefix" && key === prefixOf(phone))
    )
  }
  return known
})

const isDenied = ({ entries, prefixes }: KnownPhone): boolean =>
  entries.deny !== undefined || prefixes.some(({ list }) => list === "deny")

const codesSentence = ({ codes, now }: KnownPhone, locale: Locale): string | null => {
  const { say, number } = locale
  if (codes.items.length === 0) return null
  const verified = codes.items.filter((each) => effectiveStatus(each, now) === "verified").length
  const count = number(codes.items.length)
  return codes.next === null
    ? say(
        `Codes: ${count}, of which ${number(verified)} verified.`,
        `کدها: ${count}، که ${number(verified)} تا تأیید شد.`
      )
    : say(
        `Of the newest ${count} codes, ${number(verified)} were verified.`,
        `از ${count} کد آخر، ${number(verified)} تا تأیید شد.`
      )
}

const refusalsSentence = ({ refusals }: KnownPhone, { say, number }: Locale): string | null => {
  const [newest] = refusals
  if (newest === undefined) return null
  const more = refusals.length > SHOWN ? "+" : ""
  const count = number(Math.min(refusals.length, SHOWN))
  return refusals.length === 1
    ? say(
        `1 request was refused: ${newest.code ?? newest.status}.`,
        `۱ درخواست رد شد: \u2066${newest.code ?? newest.status}\u2069.`
      )
    : say(
        `${count}${more} requests were refused, the last one: ${newest.code ?? newest.status}.`,
        `${count}${more} درخواست رد شد، آخرین: \u2066${newest.code ?? newest.status}\u2069.`
      )
}

const toneOf = (known: KnownPhone): Tone => {
  const { codes, refusals, now } = known
  const [code] = codes.items
  const [refusal] = refusals
  if (isDenied(known)) return "bad"
  if (refusal !== undefined && refusal.at > (code?.createdAt ?? 0)) return "warn"
  if (code === undefined) return "plain"
  const status = effectiveStatus(code, now)
  return status === "verified" ? "good" : status === "failed" || status === "locked" ? "bad" : "plain"
}

/** The answer to “what about this phone?”. */
const storyOf = (known: KnownPhone, view: View): Html => {
  const { locale } = view
  const { say } = locale
  const [code] = known.codes.items
  const sentences: ReadonlyArray<Html | string | null> = [
    isDenied(known)
      ? say("It is on the deny list: codes to it are refused.", "در فهرست ممنوع است: کد به آن رد می‌شود.")
      : null,
    code === undefined
      ? null
      : html`${say("Last code:", "آخرین کد:")}
          <a href="${pathOf("verifications")}/${code.id}">${locale.ago(code.createdAt, known.now)}</a>
          ${stateBadge(effectiveStatus(code, known.now), locale)}`,
    refusalsSentence(known, locale),
    codesSentence(known, locale)
  ].filter((sentence) => sentence !== null)
  const none = say(
    "Nothing was sent to this phone in the time that records are kept.",
    "در مدتی که سوابق نگه داشته می‌شود، چیزی به این شماره ارسال نشده است."
  )
  return html`<section class="story ${toneOf(known)}" aria-label="${say("Summary", "خلاصه")}">
    <h2>${say("Summary", "خلاصه")}</h2>
    ${(sentences.length === 0 ? [none] : sentences).map(
      (sentence, index) => html`<p class="${index === 0 && "first"}">${sentence}</p>`
    )}
  </section>`
}

const eraseButton = ({ phone }: KnownPhone, view: View): Html | null => {
  const { say } = view.locale
  if (!mayPerform(view.actor, erasePhone.access)) return null
  return confirmButton(view, {
    action: `${phonePath(phone)}/erase`,
    label: say("Erase", "پاک کردن"),
    kind: "danger",
    fields: { phone },
    question: say(
      `What is in progress to ${phoneText(phone, view.locale)} is canceled. The phone and its texts are removed from finished codes, messages, contacts and the request log. This cannot be undone.`,
      `ارسال‌های در حال انجام به ${phoneText(phone, view.locale)} لغو می‌شود. شماره و متن‌هایش از کدها، پیام‌ها، مخاطب‌ها و گزارش درخواست‌ها پاک می‌شود. این کار برگشت ندارد.`
    ),
    confirm: say("Erase phone", "پاک کردن شماره")
  })
}

const sandboxLinks = ({ phone }: KnownPhone, view: View): Html => {
  const { say } = view.locale
  const query = `?q=${encodeURIComponent(phone)}&mode=test`
  return html`<p class="hint below-list">
    <span>
      ${say("Live sends only. In the sandbox:", "فقط ارسال‌های واقعی. در محیط آزمایشی:")}
      ${pageLink(view, "verifications", say("codes", "کدها"), query)} ·
      ${pageLink(view, "messages", say("messages", "پیام‌ها"), query)}
    </span>
  </p>`
}

export const phoneContent = Effect.fnUntraced(function* (view: View, phone: Phone) {
  const { locale } = view
  const { say } = locale
  const known = yield* readPhone(view, phone)
  return {
    title: phoneText(phone, locale),
    name: "phones",
    beside: copyButton(phone, say("Copy phone", "کپی شماره"), locale),
    lead: html`<a href="${pathOf("phones")}">${say("Phones", "شماره‌ها")}</a>`,
    actions: eraseButton(known, view),
    content: html`${storyOf(known, view)}
      <div class="columns">
        <div class="stack">
          ${known.refusals.length > 0 && refusalsPart(known, view)} ${codesPart(known, view)}
          ${messagesPart(known, view)} ${known.refusals.length === 0 && refusalsPart(known, view)}
          ${sandboxLinks(known, view)}
        </div>
        <div class="stack">
          ${guardPart(known, view)} ${limitsPart(known, view)} ${contactsPart(known, view)}
        </div>
      </div>`
  } satisfies Page
})
