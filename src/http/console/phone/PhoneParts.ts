import type { Instant } from "../../../domain/Instant.ts"
import type { LoggedRequest } from "../../../domain/LoggedRequest.ts"
import type { Page as ListPage } from "../../../domain/Paging.ts"
import { type Phone } from "../../../domain/Phone.ts"
import type { LimitOverrides } from "../../../domain/customer/Limits.ts"
import type { ShownAlarm } from "../../../domain/guard/Alarm.ts"
import type { GuardList } from "../../../domain/guard/GuardSettings.ts"
import type { Message } from "../../../domain/message/Message.ts"
import { effectiveStatus, type Verification } from "../../../domain/verification/Verification.ts"
import { pathOf } from "../Navigation.ts"
import { reasonText } from "../GuardAlarms.ts"
import { refusalText, routeOf, statusBadge } from "../activity/RequestList.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { shownMessageStatus } from "../message/MessagePages.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { postButton } from "../parts/Confirm.ts"
import { type Column, table } from "../parts/Lists.ts"
import { type Fact, facts, pageLink } from "../parts/Panels.ts"
import { phonePath } from "../parts/Phones.ts"
import { hops } from "../parts/Runs.ts"
import { channelName, isolated, mono } from "../parts/Text.ts"
import { tried } from "../runs/SentPages.ts"
import { mayPerform } from "../../../services/Action.ts"
import { addGuardEntry } from "../../../services/guard/GuardActions.ts"
import { type StoredEntry } from "../../../services/guard/GuardRecords.ts"
import { type PhoneContact, type PhoneUse } from "../../../services/PhoneRecords.ts"

export const SHOWN = 10

/** What the page is about. */
export interface KnownPhone {
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

/** “10+”: there are more than are shown. */
const countText = ({ items, next }: ListPage<unknown>, { number }: Locale): string =>
  `${number(items.length)}${next === null ? "" : "+"}`

const panel = (id: string, title: string, link: Html | null, body: Html): Html =>
  html`<div class="panel" id="${id}">
    <div class="panel-head">
      <h2>${title}</h2>
      ${link}
    </div>
    ${body}
  </div>`

const nothing = (text: string): Html => html`<p class="panel-body muted">${text}</p>`

export const refusalsPart = ({ refusals, logDays, now }: KnownPhone, view: View): Html => {
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
  return panel(
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

export const codesPart = ({ codes, phone, now }: KnownPhone, view: View): Html => {
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
  return panel(
    "codes",
    title,
    codes.next === null ? null : listLink("verifications", phone, locale),
    codes.items.length === 0
      ? nothing(say("No codes.", "کدی نیست."))
      : table(title, columns, codes.items, { isCompact: true })
  )
}

export const messagesPart = ({ messages, phone, now }: KnownPhone, view: View): Html => {
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
  return panel(
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

export const limitsPart = (known: KnownPhone, { locale }: View): Html => {
  const { say } = locale
  const rows = useFacts(known, locale)
  return panel(
    "limits",
    say("Limits", "سقف‌ها"),
    null,
    rows.length === 0
      ? nothing(say("Nothing was counted lately.", "اخیراً چیزی شمرده نشده است."))
      : html`<div class="panel-body">${facts(rows)}</div>`
  )
}

export const contactsPart = ({ contacts }: KnownPhone, view: View): Html => {
  const { locale } = view
  const { say, time } = locale
  return panel(
    "contacts",
    say("Contacts", "مخاطب‌ها"),
    null,
    contacts.length === 0
      ? nothing(
          say("No bot of yours is linked to this phone.", "هیچ‌یک از ربات‌های شما به این شماره وصل نیست.")
        )
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

export const guardPart = (known: KnownPhone, view: View): Html => {
  const { locale } = view
  const { say, time } = locale
  return panel(
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
