import { Clock, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../domain/Errors.ts"
import { isTimePosition, isUuidPosition } from "../../../domain/Paging.ts"
import { pastedText } from "../../../domain/text/PastedText.ts"
import { isStorable } from "../../../domain/text/VisibleText.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { type PageName, pathOf } from "../Navigation.ts"
import { savedViews } from "../SavedViewsPage.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import { operatorPage, page, type View } from "../frame/SignedRoutes.ts"
import {
  choiceProblems,
  type Column,
  emptyState,
  type Filter,
  filters,
  orderFilter,
  orderIn,
  orderLink,
  pager,
  pageRequest,
  readTimes,
  searchProblems,
  table,
  timeFilters,
  withinFilter
} from "../parts/Lists.ts"
import { facts } from "../parts/Panels.ts"
import { isolated, ltr, mono } from "../parts/Text.ts"
import {
  type AuditActor,
  type AuditArea,
  AuditLog,
  type AuditRecord
} from "../../../services/activity/AuditLog.ts"
import { CustomerRecords } from "../../../services/customer/CustomerRecords.ts"
import {
  actorChoice,
  actorKey,
  actorsOf,
  kindFilter,
  kindIn,
  kindText,
  peopleOf,
  withPerson
} from "./AuditPeople.ts"
import { actorOf, actorText, changesIn, sentenceOf, subjectPath } from "./AuditSentences.ts"

/** What people look for changes of. */
const areas: Readonly<Record<AuditArea, readonly [english: string, persian: string]>> = {
  api_key: ["API keys", "کلیدهای API"],
  token: ["Tokens", "توکن‌ها"],
  webhook: ["Webhooks", "وب‌هوک‌ها"],
  account: ["Sending accounts", "حساب‌های ارسال"],
  contacts: ["Contacts", "مخاطب‌ها"],
  routing: ["Routing", "ترتیب ارسال"],
  template: ["Templates", "قالب‌ها"],
  guard: ["Guard", "نگهبان"],
  alert: ["Alerts", "اعلان‌ها"],
  verification: ["Verifications", "کدهای تأیید"],
  message: ["Messages", "پیام‌ها"],
  test: ["Test sends", "ارسال‌های آزمایشی"],
  phone: ["Erased phones", "شماره‌های پاک‌شده"],
  user: ["Users", "کاربران"],
  view: ["Saved views", "نماهای ذخیره‌شده"],
  wallet: ["Wallet", "کیف پول"],
  customer: ["Customer", "مشتری"],
  operator: ["Operators", "مدیران سامانه"],
  signing_key: ["Signing keys", "کلیدهای امضا"]
}

/** Changes of the installation, which no customer's log has. */
const platformAreas: ReadonlySet<string> = new Set(["operator", "signing_key"])

/** One customer's log, or that of all: where it is, and whose. */
interface Log {
  readonly name: PageName
  /** Null: of all customers, for operators. */
  readonly customerOf: (view: View) => number | null
}

const ownLog: Log = { name: "audit", customerOf: ({ actor }) => actor.customerId }
const wholeLog: Log = { name: "all-audit", customerOf: () => null }

const titleOf = ({ name }: Log, { say }: Locale): string =>
  name === "audit" ? say("Audit log", "گزارش تغییرات") : say("All changes", "همهٔ تغییرها")

const areaChoices = ({ name }: Log, { say }: Locale) =>
  Object.entries(areas)
    .filter(([area]) => name === "all-audit" || !platformAreas.has(area))
    .map(([area, words]) => [`${area}.`, say(...words)] as const)

/** The beginning of the actions that the address asks for: `api_key.` */
const actionIn = (what: string | null): string | undefined =>
  what !== null && what.endsWith(".") && Object.hasOwn(areas, what.slice(0, -1)) ? what : undefined

const MAX_FILTER_LENGTH = 200

const textOf = (text: string | null): string | undefined => {
  const trimmed = pastedText(text ?? "")
  return trimmed !== "" && trimmed.length <= MAX_FILTER_LENGTH && isStorable(trimmed) ? trimmed : undefined
}

/** `user:6f1…`: somebody who has changed something. */
const actorIn = (who: string | null) => {
  const [, kind, id] = /^(user|token|session|operator):(.+)$/.exec(textOf(who) ?? "") ?? []
  return { actorKind: kind, actorId: id }
}

const searchOf = ({ query }: View) => {
  const who = actorIn(query.get("who"))
  return {
    actorKind: who.actorKind ?? kindIn(query.get("by")),
    actorId: who.actorId,
    action: actionIn(query.get("what")),
    subjectId: textOf(query.get("id")),
    order: orderIn({ query })
  }
}

const textProblems = ({ query, locale: { say } }: View): ReadonlyArray<string> => {
  const id = query.get("id") ?? ""
  const who = query.get("who") ?? ""
  return [
    ...(pastedText(id) === "" || textOf(id) !== undefined
      ? []
      : [say("Enter a valid id.", "یک شناسهٔ معتبر وارد کنید.")]),
    ...(who === "" || actorIn(who).actorId !== undefined
      ? []
      : [say("Person: choose one of the options.", "شخص: یکی از گزینه‌ها را انتخاب کنید.")])
  ]
}

const whatFilter = (log: Log, locale: Locale): Filter => ({
  name: "what",
  label: locale.say("Resource", "مورد"),
  any: locale.say("All", "همه"),
  choices: areaChoices(log, locale)
})

/** Somebody who is not among the choices stays searched for: an entry links to them. */
const personFilter = (actors: ReadonlyArray<AuditActor>, { query, locale }: View): Filter => {
  const known = actors.map((actor) => actorChoice(actor, locale))
  const who = query.get("who") ?? ""
  const isOther = who !== "" && actorIn(who).actorId !== undefined && !known.some(([key]) => key === who)
  return {
    name: "who",
    label: locale.say("Person", "شخص"),
    any: locale.say("Everybody", "همه"),
    choices: isOther ? [...known, [who, who.slice(who.indexOf(":") + 1)]] : known
  }
}

const moreFilters = (locale: Locale): ReadonlyArray<Filter> => [
  kindFilter(locale),
  { name: "id", label: locale.say("Id", "شناسه"), isLtr: true }
]

const MAX_CHANGES = 3

/** The changes of an entry in one line; more than a few are counted. */
const changesLine = (record: AuditRecord, { say, number, ...locale }: Locale): Html | null => {
  const all = changesIn(record, { say, number, ...locale })
  if (all.length === 0) return null
  const more = all.length - MAX_CHANGES
  const shown = all.slice(0, MAX_CHANGES).join(say(", ", "، "))
  return html`<span class="muted"
    >: ${shown}${more > 0 && say(` +${number(more)} more`, ` و ${number(more)} تغییر دیگر`)}</span
  >`
}

const entryPath = ({ name }: Log, { id }: AuditRecord): string => `${pathOf(name)}/${id}`

const personPath = ({ name }: Log, { actorKind, actorId }: AuditRecord): string =>
  `${pathOf(name)}?who=${encodeURIComponent(actorKey({ kind: actorKind, id: actorId }))}`

const auditColumns = (
  log: Log,
  view: View,
  customerNames: ReadonlyMap<number, string>
): ReadonlyArray<Column<AuditRecord>> => {
  const { locale, actor } = view
  const { say, time } = locale
  return [
    {
      header: say("Change", "تغییر"),
      kind: "title",
      cell: (record) => {
        const links = { thing: subjectPath(record, actor.customerId), who: personPath(log, record) }
        return html`${sentenceOf(record, links, locale)}${changesLine(record, locale)}`
      }
    },
    ...(log.name === "audit"
      ? []
      : [
          {
            header: say("Customer", "مشتری"),
            card: "detail" as const,
            cell: ({ customerId }: AuditRecord) => customerPart(customerId, customerNames, locale)
          }
        ]),
    {
      header: say("IP address", "نشانی IP"),
      ...(log.name === "audit" && { card: "detail" }),
      cell: ({ ip }) => (ip === null ? html`<span class="muted">–</span>` : ltr(ip))
    },
    {
      header: say("Time", "زمان"),
      card: "time",
      order: orderLink(view),
      cell: (record) => html`<a href="${entryPath(log, record)}">${time(record.occurredAt)}</a>`
    }
  ]
}

const customerPart = (id: number, names: ReadonlyMap<number, string>, { say }: Locale): Html =>
  id === 0
    ? html`<span class="muted">${say("Installation", "سامانه")}</span>`
    : html`<a href="${pathOf("customers")}/${id}">${isolated(names.get(id) ?? `#${id}`)}</a>`

const customerNamesOf = (log: Log) =>
  log.name === "audit"
    ? Effect.succeed<ReadonlyMap<number, string>>(new Map())
    : Effect.map(
        CustomerRecords.use(({ list }) => list),
        (all): ReadonlyMap<number, string> => new Map(all.map(({ id, name }) => [id, name]))
      )

const nothingFound = ({ locale: { say } }: View): Html =>
  emptyState(
    say("No changes", "تغییری نیست"),
    say(
      "Changes by users, tokens and operators appear here.",
      "تغییرهای کاربران، توکن‌ها و مدیران سامانه اینجا دیده می‌شود."
    )
  )

const auditList = (log: Log) =>
  Effect.fnUntraced(function* (view: View) {
    const { say } = view.locale
    const customerId = log.customerOf(view)
    const request = yield* pageRequest(view, isTimePosition)
    const { from, to, problems: timeProblems } = readTimes(view, yield* Clock.currentTimeMillis)
    const people = yield* peopleOf(customerId, view)
    const shown = [
      whatFilter(log, view.locale),
      personFilter(yield* actorsOf(customerId, people), view),
      withinFilter(view.locale)
    ]
    const more = [orderFilter(view.locale), ...timeFilters(view.locale), ...moreFilters(view.locale)]
    const problems = [...choiceProblems(view, [...shown, ...more]), ...textProblems(view), ...timeProblems]
    const { list } = yield* AuditLog
    const { items, next } =
      problems.length > 0
        ? { items: [], next: null }
        : yield* list(customerId, { ...request, ...searchOf(view), from, to })
    const columns = auditColumns(log, view, yield* customerNamesOf(log))
    const title = titleOf(log, view.locale)
    return {
      title,
      name: log.name,
      lead: say("Who changed what, when and from where.", "چه کسی، چه چیزی را، کی و از کجا تغییر داده است."),
      content: html`${filters(view, shown, more)} ${yield* savedViews(view, log.name)}
        ${searchProblems(problems)}
        <div class="panel audit">
          ${items.length > 0 ? table(title, columns, items.map(withPerson(people)), { isCompact: true }) : nothingFound(view)}
          ${pager(view, next)}
        </div>`
    } satisfies Page
  })

/** The id of an entry in the path; what is none is no entry. */
const entryId = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  return isUuidPosition(id) ? id : yield* new NotFound()
})

const rawValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** The fields as programs get them. */
const rawFields = (record: AuditRecord, { say }: Locale): Html | null => {
  const names = Object.keys(record.details).filter((name) => record.details[name] !== undefined)
  return names.length === 0
    ? null
    : html`<section class="panel">
        <div class="panel-head"><h2>${say("Fields", "فیلدها")}</h2></div>
        ${table(
          say("Fields", "فیلدها"),
          [
            { header: say("Field", "فیلد"), kind: "title", cell: (name: string) => mono(name) },
            {
              header: say("Before", "پیش از تغییر"),
              cell: (name) =>
                Object.hasOwn(record.previous, name)
                  ? mono(rawValue(record.previous[name]))
                  : html`<span class="muted">–</span>`
            },
            { header: say("After", "پس از تغییر"), cell: (name) => mono(rawValue(record.details[name])) }
          ],
          names
        )}
      </section>`
}

const sameThing = (log: Log, { action, subjectId }: AuditRecord): string =>
  `${pathOf(log.name)}?what=${action.slice(0, action.indexOf(".") + 1)}&id=${encodeURIComponent(subjectId)}`

const entryFacts = (log: Log, record: AuditRecord, locale: Locale): Html => {
  const { say, time } = locale
  const none = html`<span class="muted">–</span>`
  return facts([
    [say("Time", "زمان"), time(record.occurredAt)],
    [
      say("Changed by", "تغییردهنده"),
      html`<a href="${personPath(log, record)}">${isolated(actorText(actorOf(record), locale))}</a>
        <span class="sub">${kindText(record.actorKind, locale)}</span>`
    ],
    [say("IP address", "نشانی IP"), record.ip === null ? none : ltr(record.ip)],
    [say("User agent", "مرورگر یا برنامه"), record.userAgent === null ? none : isolated(record.userAgent)],
    [say("Request", "درخواست"), record.requestId === null ? none : mono(record.requestId)],
    [say("Action", "نام تغییر"), mono(record.action)],
    [
      say("Resource", "مورد"),
      html`${mono(`${record.subjectType} ${record.subjectId}`)}
        <span class="sub"
          ><a href="${sameThing(log, record)}">${say("All its changes", "همهٔ تغییرهای آن")}</a></span
        >`
    ]
  ])
}

const auditEntry = (log: Log) =>
  Effect.fnUntraced(function* (view: View) {
    const { locale, actor } = view
    const { say } = locale
    const { find } = yield* AuditLog
    const stored = yield* find(log.customerOf(view), yield* entryId)
    const record = withPerson(yield* peopleOf(log.customerOf(view), view))(stored)
    const links = { thing: subjectPath(record, actor.customerId), who: null }
    const changes = changesIn(record, locale)
    return {
      title: say("Change", "تغییر"),
      name: log.name,
      lead: html`<a href="${pathOf(log.name)}">${titleOf(log, locale)}</a>`,
      content: html`<section class="story panel info">
          <p class="first">${sentenceOf(record, links, locale)}</p>
          ${
            changes.length > 0 &&
            html`<ul class="change-list">
              ${changes.map((each) => html`<li>${each}</li>`)}
            </ul>`
          }
        </section>
        <div class="sections">
          <section class="panel panel-body">${entryFacts(log, record, locale)}</section>
          ${rawFields(record, locale)}
        </div>`
    } satisfies Page
  })

/** The changes, and who made them. */
export const auditPages = {
  name: "audit",
  routes: [page(pathOf("audit"), auditList(ownLog)), page(`${pathOf("audit")}/:id`, auditEntry(ownLog))]
} as const satisfies ConsolePages

/** The changes of all customers, and of the installation. */
export const allAuditPages = {
  name: "all-audit",
  routes: [
    operatorPage(pathOf("all-audit"), auditList(wholeLog)),
    operatorPage(`${pathOf("all-audit")}/:id`, auditEntry(wholeLog))
  ]
} as const satisfies ConsolePages
