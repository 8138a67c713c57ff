import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import type { LoggedRequest } from "../../../domain/LoggedRequest.ts"
import type { Page as ListPage } from "../../../domain/Paging.ts"
import { maskPhone, type Phone } from "../../../domain/Phone.ts"
import type { LimitOverrides } from "../../../domain/customer/Admission.ts"
import type { ShownAlarm } from "../../../domain/guard/Alarm.ts"
import type { GuardList } from "../../../domain/guard/GuardSettings.ts"
import { prefixOf } from "../../../domain/guard/Segments.ts"
import type { Message } from "../../../domain/message/Message.ts"
import { effectiveStatus, type Verification } from "../../../domain/verification/Verification.ts"
import { pathOf } from "../Navigation.ts"
import { reasonText } from "../GuardForms.ts"
import { refusalText, routeOf, statusBadge } from "../activity/RequestList.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { shownMessageStatus } from "../message/MessagePages.ts"
import { badge, stateBadge, type Tone } from "../parts/Badge.ts"
import { copyButton } from "../parts/Code.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import { type Column, table } from "../parts/Lists.ts"
import { type Fact, facts, pageLink } from "../parts/Panels.ts"
import { phonePath } from "../parts/Phones.ts"
import { hops } from "../parts/Runs.ts"
import { channelName, isolated, mono, phoneText } from "../parts/Text.ts"
import { tried } from "../runs/SentPages.ts"
import { mayPerform } from "../../../services/Action.ts"
import { CustomerRecords } from "../../../services/customer/CustomerRecords.ts"
import { addGuardEntry } from "../../../services/guard/GuardActions.ts"
import { GuardRecords, type StoredEntry } from "../../../services/guard/GuardRecords.ts"
import { RequestLog, RequestRecords } from "../../../services/activity/RequestLog.ts"
import { MessageRecords } from "../../../services/message/MessageRecords.ts"
import { erasePhone } from "../../../services/PhoneErasures.ts"
import { type PhoneContact, PhoneRecords, type PhoneUse } from "../../../services/PhoneRecords.ts"
import { Settings } from "../../../services/Settings.ts"
import { VerificationRecords } from "../../../services/verification/VerificationRecords.ts"

const SHOWN = 10

/** What the page is about. */
interface KnownPhone {
  readonly phone: Phone
  readonly now: Instant
  readonly codes: ListPage<Verification>
  readonly messages: ListPage<Message>
  readonly refusals: ReadonlyArray<LoggedRequest>
  /** The days that refused requests are kept. */
  readonly logDays: number
  readonly contacts: ReadonlyArray<PhoneContact>
  readonly uses: ReadonlyArray<PhoneUse>
  readonly limits: LimitOverrides
  readonly entries: Readonly<Record<GuardList, StoredEntry | undefined>>
  /** What the lists have of its prefixes. */
  readonly prefixes: ReadonlyArray<StoredEntry>
  readonly alarms: ReadonlyArray<ShownAlarm>
}

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

/** “10+”: there are more than are shown. */
const countText = ({ items, next }: ListPage<unknown>, { number }: Locale): string =>
  `${number(items.length)}${next === null ? "" : "+"}`

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

const section = (id: string, title: string, link: Html | null, body: Html): Html =>
  html`<section class="panel" id="${id}" aria-labelledby="${id}-title">
    <div class="panel-head">
      <h2 id="${id}-title">${title}</h2>
      ${link}
    </div>
    ${body}
  </section>`

const nothing = (text: string): Html => html`<p class="panel-body muted">${text}</p>`

const refusalsPart = ({ refusals, logDays, now }: KnownPhone, view: View): Html => {
  const { locale } = view
  const { say, number } = locale
  const title = say("Refused requests", "درخواست‌های ردشده")
  const columns: ReadonlyArray<Column<LoggedRequest>> = [
    {
      header: say("Time", "زمان"),
      kind: "title",
      cell: ({ id, at }) =>
        html`<a class="row-link" href="${pathOf("requests")}/${id}">${locale.ago(at, now)}</a>`
    },
    { header: say("Status", "وضعیت"), card: "state", cell: statusBadge },
    {
      header: say("Reason", "دلیل"),
      card: "detail",
      cell: (each) =>
        html`${each.code !== null && mono(each.code)} <span class="sub">${refusalText(each, locale)}</span>`
    },
    { header: say("Request", "درخواست"), isOptional: true, cell: routeOf }
  ]
  const none =
    logDays === 0
      ? say("The request log is disabled.", "ثبت درخواست‌ها غیرفعال است.")
      : say(`None in the last ${number(logDays)} days.`, `در ${number(logDays)} روز گذشته هیچ.`)
  return section(
    "refused",
    title,
    null,
    refusals.length === 0
      ? nothing(none)
      : table(title, columns, refusals.slice(0, SHOWN), { isCompact: true })
  )
}

const listLink = (name: "verifications" | "messages", phone: Phone, { say }: Locale): Html =>
  html`<a href="${pathOf(name)}?q=${encodeURIComponent(phone)}">${say("Show all", "نمایش همه")}</a>`

const codesPart = ({ codes, phone, now }: KnownPhone, view: View): Html => {
  const { locale } = view
  const { say } = locale
  const title = `${say("Codes", "کدها")} (${countText(codes, locale)})`
  const columns: ReadonlyArray<Column<Verification>> = [
    {
      header: say("Created", "زمان ایجاد"),
      kind: "title",
      cell: ({ id, createdAt }) =>
        html`<a class="row-link" href="${pathOf("verifications")}/${id}">${locale.ago(createdAt, now)}</a>`
    },
    {
      header: say("Status", "وضعیت"),
      card: "state",
      cell: (each) => stateBadge(effectiveStatus(each, now), locale)
    },
    { header: say("Channels", "کانال‌ها"), card: "detail", cell: (each) => hops(tried(each), locale) },
    {
      header: say("Time to verify", "زمان تا تأیید"),
      card: "time",
      kind: "number",
      cell: ({ verifiedAt, createdAt }) =>
        verifiedAt === null
          ? html`<span class="muted">–</span>`
          : locale.duration((verifiedAt - createdAt) / 1000)
    }
  ]
  return section(
    "codes",
    title,
    codes.next === null ? null : listLink("verifications", phone, locale),
    codes.items.length === 0
      ? nothing(say("No codes.", "کدی نیست."))
      : table(title, columns, codes.items, { isCompact: true })
  )
}

const messagesPart = ({ messages, phone, now }: KnownPhone, view: View): Html => {
  const { locale } = view
  const { say } = locale
  const title = `${say("Messages", "پیام‌ها")} (${countText(messages, locale)})`
  const columns: ReadonlyArray<Column<Message>> = [
    {
      header: say("Created", "زمان ایجاد"),
      kind: "title",
      cell: ({ id, createdAt }) =>
        html`<a class="row-link" href="${pathOf("messages")}/${id}">${locale.ago(createdAt, now)}</a>`
    },
    {
      header: say("Status", "وضعیت"),
      card: "state",
      cell: (each) => stateBadge(shownMessageStatus(each), locale)
    },
    {
      header: say("Channels", "کانال‌ها"),
      card: "detail",
      cell: (each) => hops(tried(each), locale, each.strategy === "broadcast")
    },
    {
      header: say("Template", "قالب"),
      cell: ({ template }) =>
        template === null ? html`<span class="muted">–</span>` : isolated(template.name)
    }
  ]
  return section(
    "messages",
    title,
    messages.next === null ? null : listLink("messages", phone, locale),
    messages.items.length === 0
      ? nothing(say("No messages.", "پیامی نیست."))
      : table(title, columns, messages.items, { isCompact: true })
  )
}

const useFacts = ({ uses, limits }: KnownPhone, locale: Locale): ReadonlyArray<Fact> => {
  const { say, number, time } = locale
  const of = (used: number, limit: number | null | undefined, endsAt: Instant | null): Html =>
    html`${number(used)} ${limit != null && limit > 0 && say(`of ${number(limit)}`, `از ${number(limit)}`)}
    ${limit != null && limit > 0 && used >= limit && badge("warn", say("Limit reached", "به سقف رسیده"))}
    ${used > 0 && endsAt !== null && html`<span class="sub">${say("until", "تا")} ${time(endsAt)}</span>`}`
  return uses.flatMap(({ kind, hourUsed, hourEndsAt, dayUsed, dayEndsAt }): ReadonlyArray<Fact> => {
    const [hour, day] =
      kind === "code"
        ? [limits.phone_hour, limits.phone_day]
        : [limits.message_phone_hour, limits.message_phone_day]
    const name = kind === "code" ? say("Codes", "کدها") : say("Messages", "پیام‌ها")
    return [
      [say(`${name} per hour`, `${name} در ساعت`), of(hourUsed, hour, hourEndsAt)],
      [say(`${name} per day`, `${name} در روز`), of(dayUsed, day, dayEndsAt)]
    ]
  })
}

const limitsPart = (known: KnownPhone, { locale }: View): Html => {
  const { say } = locale
  const rows = useFacts(known, locale)
  return section(
    "limits",
    say("Limits", "سقف‌ها"),
    null,
    rows.length === 0
      ? nothing(say("Nothing was counted lately.", "اخیراً چیزی شمرده نشده است."))
      : html`<div class="panel-body">${facts(rows)}</div>`
  )
}

const contactsPart = ({ contacts }: KnownPhone, view: View): Html => {
  const { locale } = view
  const { say, time } = locale
  return section(
    "contacts",
    say("Contacts", "مخاطب‌ها"),
    null,
    contacts.length === 0
      ? nothing(say("No bot of yours is linked to this phone.", "هیچ بات شما به این شماره وصل نیست."))
      : html`<div class="panel-body">
          ${facts(
            contacts.map(({ accountId, label, channel, chatId, linkedAt }) => [
              pageLink(
                view,
                "channels",
                html`${channelName(channel, locale)} · ${isolated(label)}`,
                `/${accountId}`
              ),
              html`${mono(chatId)}<span class="sub">${time(linkedAt)}</span>`
            ])
          )}
        </div>`
  )
}

const listText = (list: GuardList, { say }: Locale): string =>
  list === "deny" ? say("Deny list", "فهرست ممنوع") : say("Allow list", "فهرست مجاز")

/** Whether a list has the phone, and a button to change that. */
const entryFact = (list: GuardList, { phone, entries, prefixes }: KnownPhone, view: View): Fact => {
  const { locale } = view
  const { say } = locale
  const entry = entries[list]
  const wider = prefixes.filter((each) => each.list === list)
  const button = (label: string, way: "add" | "remove") =>
    mayPerform(view.actor, addGuardEntry.access) &&
    postButton(view, {
      action: `${phonePath(phone)}/${list}/${way}`,
      label,
      fields: { phone },
      isSmall: true
    })
  const adding = list === "deny" ? say("Deny", "ممنوع کردن") : say("Allow", "مجاز کردن")
  return [
    listText(list, locale),
    html`<span class="fact-row">
        ${
          entry === undefined
            ? html`<span class="muted">${say("not on it", "در آن نیست")}</span>${button(adding, "add")}`
            : html`${badge(list === "deny" ? "bad" : "good", say("on it", "در آن است"))}
              ${button(say("Remove", "حذف"), "remove")}`
        }
      </span>
      ${wider.map(
        ({ value }) => html`<span class="sub">${say("by the prefix", "با پیش‌شمارهٔ")} ${mono(value)}</span>`
      )}`
  ]
}

const guardPart = (known: KnownPhone, view: View): Html => {
  const { locale } = view
  const { say, time } = locale
  return section(
    "guard",
    say("Guard", "نگهبان"),
    pageLink(view, "guard", say("Open guard", "صفحهٔ نگهبان")),
    html`<div class="panel-body">
      ${facts([
        entryFact("deny", known, view),
        entryFact("allow", known, view),
        ...known.alarms.map((alarm): Fact => [
          alarm.kind === "phone" ? say("Alarm", "هشدار") : say("Alarm of its prefix", "هشدار پیش‌شماره"),
          html`${badge("warn", reasonText(alarm, locale))}
            <span class="sub">${say("until", "تا")} ${time(alarm.until)}</span>`
        ])
      ])}
    </div>`
  )
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
    lead: html`<a href="${pathOf("phones")}">${say("Phones", "شماره‌ها")}</a> ·
      ${copyButton(phone, say("Copy phone", "کپی شماره"), locale)}`,
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
