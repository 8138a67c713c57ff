import { Effect } from "effect"
import { isTimePosition } from "../../../domain/Paging.ts"
import { pastedText } from "../../../domain/text/PastedText.ts"
import { isStorable } from "../../../domain/text/VisibleText.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { page, type View } from "../frame/SignedRoutes.ts"
import {
  choiceProblems,
  emptyState,
  type Filter,
  filters,
  pager,
  pageRequest,
  readTimes,
  searchProblems,
  table,
  timeFilters
} from "../parts/Lists.ts"
import { isolated, ltr, mono } from "../parts/Text.ts"
import {
  type AuditArea,
  AuditLog,
  type AuditRecord,
  type PlatformArea
} from "../../../services/activity/AuditLog.ts"

const AUDIT_PATH = pathOf("audit")

const kinds = [
  ["user", "User", "کاربر"],
  ["token", "Token", "توکن"],
  ["session", "External sign-in", "ورود با سرویس دیگر"],
  ["operator", "Operator", "مدیر سامانه"]
] as const

/** What people look for changes of. */
const areas: Readonly<Record<Exclude<AuditArea, PlatformArea>, readonly [english: string, persian: string]>> =
  {
    api_key: ["API keys", "کلیدهای API"],
    token: ["Tokens", "توکن‌ها"],
    webhook: ["Webhooks", "وب‌هوک‌ها"],
    account: ["Sending accounts", "حساب‌های ارسال"],
    contacts: ["Contacts", "مخاطب‌ها"],
    routing: ["Routing", "ترتیب ارسال"],
    template: ["Templates", "قالب‌ها"],
    guard: ["Guard", "نگهبان"],
    verification: ["Verifications", "کدهای تأیید"],
    message: ["Messages", "پیام‌ها"],
    test: ["Test sends", "ارسال‌های آزمایشی"],
    phone: ["Erased phones", "شماره‌های پاک‌شده"],
    user: ["Users", "کاربران"],
    wallet: ["Wallet", "کیف پول"],
    customer: ["Customer", "مشتری"]
  }

const isArea = (text: string): boolean => Object.hasOwn(areas, text)

/** The beginning of the actions that the address asks for: `api_key.` */
const actionIn = (what: string | null): string | undefined =>
  what !== null && what.endsWith(".") && isArea(what.slice(0, -1)) ? what : undefined

const MAX_FILTER_LENGTH = 200

const textOf = (text: string | null): string | undefined => {
  const trimmed = pastedText(text ?? "")
  return trimmed !== "" && trimmed.length <= MAX_FILTER_LENGTH && isStorable(trimmed) ? trimmed : undefined
}

const searchOf = ({ query }: View) => ({
  actorKind: kinds.find(([kind]) => kind === query.get("by"))?.[0],
  action: actionIn(query.get("what")),
  subjectId: textOf(query.get("id"))
})

const idProblems = ({ query, locale: { say } }: View): ReadonlyArray<string> => {
  const submitted = query.get("id") ?? ""
  return pastedText(submitted) === "" || textOf(submitted) !== undefined
    ? []
    : [say("Enter a valid id.", "یک شناسهٔ معتبر وارد کنید.")]
}

const filtersOf = (locale: View["locale"]): ReadonlyArray<Filter> => {
  const { say } = locale
  return [
    {
      name: "what",
      label: say("Resource", "مورد"),
      any: say("All", "همه"),
      choices: Object.entries(areas).map(([area, words]) => [`${area}.`, say(...words)] as const)
    },
    {
      name: "by",
      label: say("Changed by", "تغییردهنده"),
      any: say("Anyone", "همه"),
      choices: kinds.map(([kind, english, persian]) => [kind, say(english, persian)] as const)
    },
    { name: "id", label: say("Id", "شناسه"), isLtr: true },
    ...timeFilters(locale)
  ]
}

const detail = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const detailsOf = ({ details }: AuditRecord, { say }: View["locale"]): Html | null => {
  const known = Object.entries(details).filter(([, value]) => value !== undefined)
  return known.length === 0
    ? null
    : html`<details>
        <summary class="more-summary">${say("Details", "جزئیات")}</summary>
        <ul class="audit-details">
          ${known.map(([name, value]) => html`<li>${mono(name)}: ${isolated(detail(value))}</li>`)}
        </ul>
      </details>`
}

const kindText = (kind: string, { say }: View["locale"]): string => {
  const words = kinds.find(([each]) => each === kind)
  return words === undefined ? kind : say(words[1], words[2])
}

const auditTable = (records: ReadonlyArray<AuditRecord>, { locale }: View): Html => {
  const { say, time } = locale
  return table(
    say("Audit log", "گزارش تغییرات"),
    [
      {
        header: say("Action", "تغییر"),
        kind: "title",
        cell: (record: AuditRecord) => html`${mono(record.action)} ${detailsOf(record, locale)}`
      },
      {
        header: say("Resource", "مورد"),
        cell: ({ subjectType, subjectId }) =>
          html`${mono(subjectType)} <span class="sub">${mono(subjectId)}</span>`
      },
      {
        header: say("Changed by", "تغییردهنده"),
        cell: ({ actorKind, actorName }) =>
          html`${isolated(actorName)} <span class="sub">${kindText(actorKind, locale)}</span>`
      },
      {
        header: say("IP address", "نشانی IP"),
        cell: ({ ip }) => (ip === null ? html`<span class="muted">–</span>` : ltr(ip))
      },
      { header: say("Time", "زمان"), cell: ({ occurredAt }) => time(occurredAt) }
    ],
    records
  )
}

const showAudit = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const request = yield* pageRequest(view, isTimePosition)
  const { from, to, problems: timeProblems } = readTimes(view)
  const shown = filtersOf(view.locale)
  const problems = [...choiceProblems(view, shown), ...idProblems(view), ...timeProblems]
  const log = yield* AuditLog
  const { items, next } =
    problems.length > 0
      ? { items: [], next: null }
      : yield* log.list(view.actor.customerId, { ...request, ...searchOf(view), from, to })
  return {
    title: say("Audit log", "گزارش تغییرات"),
    name: "audit",
    lead: say("Who changed what, when and from where.", "چه کسی، چه چیزی را، کی و از کجا تغییر داده است."),
    content: html`${filters(view, shown)} ${searchProblems(problems)}
      <div class="panel">
        ${
          items.length > 0
            ? auditTable(items, view)
            : emptyState(
                say("No changes", "تغییری نیست"),
                say(
                  "Changes by users, tokens and operators appear here.",
                  "تغییرهای کاربران، توکن‌ها و مدیران سامانه اینجا دیده می‌شود."
                )
              )
        }
        ${pager(view, next)}
      </div>`
  } satisfies Page
})

/** The change, and its actor. */
export const auditPages = {
  name: "audit",
  routes: [page(AUDIT_PATH, showAudit)]
} as const satisfies ConsolePages
