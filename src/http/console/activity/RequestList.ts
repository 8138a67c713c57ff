import { Clock, Effect, Result } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import type { Page } from "../../../domain/Paging.ts"
import { maskPhoneInAscii, parseContactPhone } from "../../../domain/Phone.ts"
import { isRequestPosition, type LoggedRequest, shownPhone } from "../../../domain/LoggedRequest.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import { bareNumber, pasted } from "../../../domain/text/PastedText.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { savedViews } from "../SavedViewsPage.ts"
import { refusalOf } from "../frame/Refusals.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { addressWith } from "../frame/Visit.ts"
import { badge, stateBadge, stateText, type Tone } from "../parts/Badge.ts"
import {
  type ChoiceFilter,
  choiceProblems,
  type Column,
  emptyState,
  filters,
  orderFilter,
  orderIn,
  orderLink,
  pager,
  pageRequest,
  readTimes,
  searchedText,
  searchProblems,
  table,
  timeFilters,
  withinFilter
} from "../parts/Lists.ts"
import { isolated, mono, phoneNumber } from "../parts/Text.ts"
import { type ErrorCode, errorTable } from "../../errors/ErrorTable.ts"
import { Settings } from "../../../services/Settings.ts"
import { RequestLog, RequestRecords, type RequestSearch } from "../../../services/activity/RequestLog.ts"

const MICROS_PER_SECOND = 1_000_000
const MICROS_PER_MILLI = 1000

const toneOf = (status: number): Tone => {
  if (status < 400) return "good"
  return status < 500 ? "warn" : "bad"
}

export const statusBadge = ({ status }: Pick<LoggedRequest, "status">): Html =>
  badge(toneOf(status), String(status))

export const routeOf = ({ method, route }: Pick<LoggedRequest, "method" | "route">): Html =>
  mono(`${method} ${route}`)

export const tookText = ({ micros }: Pick<LoggedRequest, "micros">, { say, number, duration }: Locale) =>
  micros >= MICROS_PER_SECOND
    ? duration(micros / MICROS_PER_SECOND)
    : `${number(Math.max(1, Math.round(micros / MICROS_PER_MILLI)))} ${say("ms", "میلی‌ثانیه")}`

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

/** The meaning of a request's error code; null if it has none. */
export const refusalText = ({ code }: Pick<LoggedRequest, "code">, locale: Locale): string | null =>
  code !== null && isErrorCode(code) ? refusalOf({ _tag: code }, locale).text : null

export const maskedPhone = ({ phone }: Pick<LoggedRequest, "phone">): Html =>
  phone === null ? html`<span class="muted">–</span>` : phoneNumber(shownPhone(phone))

const outcomes = {
  good: [200, 399],
  refused: [400, 499],
  failed: [500, 599]
} as const
const isOutcome = (text: string): text is keyof typeof outcomes => Object.hasOwn(outcomes, text)

const areas = ["/v1/otp", "/v1/messages", "/v1/sandbox", "/v1/account"]
const modes: ReadonlyArray<KeyMode> = ["live", "test"]

/** The form of a request id; a verification's id has it too. */
const ID = /^[A-Za-z0-9._-]{1,128}$/
const LAST_FOUR = /^\d{4}$/
const CODE = /^[a-z_]{1,60}$/
const KEY = /^[1-9]\d{0,8}$/

interface SubmittedSearch {
  readonly search: RequestSearch
  /** What could not be understood, in words; such a search finds nothing. */
  readonly problems: ReadonlyArray<string>
}

const subjectOf = (text: string): Pick<RequestSearch, "id" | "maskedPhone" | "phoneEnd"> | null => {
  if (text === "") return {}
  const digits = bareNumber(text)
  if (LAST_FOUR.test(digits)) return { phoneEnd: digits }
  const phone = parseContactPhone(text)
  if (Result.isSuccess(phone)) return { maskedPhone: maskPhoneInAscii(phone.success) }
  return ID.test(text) ? { id: text } : null
}

const areaText = (area: string, { say }: View["locale"]): string => {
  switch (area) {
    case "/v1/otp":
      return say("Codes", "کدها")
    case "/v1/messages":
      return say("Messages", "پیام‌ها")
    case "/v1/sandbox":
      return say("Sandbox", "محیط آزمایشی")
    default:
      return say("Account", "حساب")
  }
}

/** The filters with the same choices in every log. */
const choicesOf = (
  locale: View["locale"]
): Readonly<Record<"outcome" | "route" | "within" | "mode" | "order", ChoiceFilter>> => {
  const { say } = locale
  return {
    outcome: {
      name: "outcome",
      label: say("Status", "وضعیت"),
      any: say("All", "همه"),
      choices: [
        ["good", say("Successful (2xx)", "موفق (2xx)")],
        ["refused", say("Refused (4xx)", "ردشده (4xx)")],
        ["failed", say("Failed (5xx)", "ناموفق (5xx)")]
      ]
    },
    route: {
      name: "route",
      label: say("API", "بخش API"),
      any: say("All", "همه"),
      choices: areas.map((area) => [area, areaText(area, locale)] as const)
    },
    within: withinFilter(locale),
    order: orderFilter(locale),
    mode: {
      name: "mode",
      label: say("Mode", "حالت"),
      any: say("All", "همه"),
      choices: modes.map((mode) => [mode, stateText(mode, locale)] as const)
    }
  }
}

/** What the address of the request log asks for. */
const readRequestSearch = ({ query, locale }: Pick<View, "query" | "locale">) =>
  Effect.map(Clock.currentTimeMillis, (now): SubmittedSearch => {
    const text = (name: string) => pasted(query.get(name) ?? "")
    const { from, to, problems } = readTimes({ query, locale }, now)
    const subject = subjectOf(text("q"))
    const [outcome, code] = [text("outcome"), text("code")]
    const key = KEY.test(text("key")) ? Number(text("key")) : undefined
    const isCode = code === "" || CODE.test(code)
    return {
      search: {
        ...subject,
        statuses: isOutcome(outcome) ? outcomes[outcome] : undefined,
        route: areas.find((area) => area === text("route")),
        mode: modes.find((mode) => mode === text("mode")),
        code: code === "" || !isCode ? undefined : code,
        keyId: key,
        from,
        to,
        order: orderIn({ query })
      },
      problems: [
        ...(subject === null || !isCode
          ? [
              locale.say(
                "Enter a phone number, an id or an error code.",
                "شماره، شناسه یا کد خطا را وارد کنید."
              )
            ]
          : []),
        ...(key === undefined && text("key") !== ""
          ? [locale.say("Enter the number of a key.", "شمارهٔ یک کلید را وارد کنید.")]
          : []),
        ...choiceProblems({ query, locale }, Object.values(choicesOf(locale))),
        ...problems
      ]
    }
  })

const requestFilters = (
  view: View,
  keys: ReadonlyArray<{ readonly id: number; readonly name: string }>
): Html => {
  const { locale } = view
  const { say } = locale
  const { outcome, route, within, mode, order } = choicesOf(locale)
  return filters(
    view,
    [
      {
        name: "q",
        label: say("Phone, last four digits, or an id", "شماره، چهار رقم آخر، یا شناسه"),
        placeholder: "0912… / 4567 / 019c…",
        isLtr: true,
        isWide: true
      },
      outcome,
      route,
      within
    ],
    [
      order,
      { name: "code", label: say("Error code", "کد خطا"), placeholder: "invalid_phone", isLtr: true },
      mode,
      ...(keys.length === 0
        ? []
        : [
            {
              name: "key",
              label: say("Key", "کلید"),
              any: say("All", "همه"),
              choices: keys.map(({ id, name }) => [String(id), name] as const)
            }
          ]),
      ...timeFilters(locale)
    ]
  )
}

const columnsOf = (view: View, isOfAll: boolean, now: Instant): ReadonlyArray<Column<LoggedRequest>> => {
  const { locale, path } = view
  const { say } = locale
  return [
    {
      header: say("Request", "درخواست"),
      kind: "title",
      cell: (each) => html`<a class="row-link" href="${path}/${each.id}">${routeOf(each)}</a>`
    },
    {
      header: say("Status", "وضعیت"),
      card: "state",
      cell: (each) => html`${statusBadge(each)} ${each.code !== null && mono(each.code)}`
    },
    ...(isOfAll
      ? [
          {
            header: say("Customer", "مشتری"),
            isOptional: true,
            cell: ({ customerName }: LoggedRequest) => isolated(customerName)
          }
        ]
      : []),
    { header: say("Phone", "شماره"), card: "detail", cell: maskedPhone },
    {
      header: say("Key", "کلید"),
      isOptional: true,
      cell: ({ key, mode }) =>
        html`${key === null ? html`<span class="muted">–</span>` : isolated(key.name)}
        ${stateBadge(mode, locale)}`
    },
    {
      header: say("Duration", "مدت"),
      kind: "number",
      isOptional: true,
      cell: (each) => tookText(each, locale)
    },
    {
      header: say("Time", "زمان"),
      kind: "number",
      card: "time",
      order: orderLink(view),
      cell: ({ at }) => locale.ago(at, now)
    }
  ]
}

const emptyList = (
  view: View,
  { next, searchedTo }: Page<LoggedRequest>,
  isFiltered: boolean,
  days: number
): Html => {
  const { say, number } = view.locale
  if (days === 0)
    return emptyState(
      say("The request log is disabled", "ثبت درخواست‌ها غیرفعال است"),
      say(
        "To enable it, set PEYK_REQUEST_LOG_DAYS above 0.",
        "برای فعال کردن، PEYK_REQUEST_LOG_DAYS را بیشتر از صفر بگذارید."
      )
    )
  if (next !== null && searchedTo !== undefined)
    return emptyState(
      say("No results so far", "تا اینجا چیزی پیدا نشد"),
      searchedText(searchedTo, view.locale),
      { href: addressWith(view, { cursor: next }), label: say("Search older", "جست‌وجوی قدیمی‌ترها") }
    )
  return isFiltered
    ? emptyState(
        say("No results", "چیزی پیدا نشد"),
        say("Try fewer filters.", "فیلتر کمتری را امتحان کنید."),
        { href: view.path, label: say("Clear filters", "پاک کردن فیلترها") }
      )
    : emptyState(
        say("No requests yet", "هنوز درخواستی نیست"),
        say(
          `Requests with your API keys appear here for ${number(days)} days.`,
          `درخواست‌های کلیدهای API شما ${number(days)} روز اینجا دیده می‌شوند.`
        )
      )
}

const REFRESH_SECONDS = 5

/** The request log of a customer, or of all (null), with its filters. */
export const requestList = Effect.fnUntraced(function* (
  view: View,
  customerId: number | null,
  keys: ReadonlyArray<{ readonly id: number; readonly name: string }>
) {
  const { say } = view.locale
  const { requestLogDays } = yield* Settings
  const page = yield* pageRequest(view, isRequestPosition)
  const { search, problems } = yield* readRequestSearch(view)
  const records = yield* RequestRecords
  // Whoever has just made a request looks for it.
  if (page.after === null) yield* (yield* RequestLog).flush
  const found: Page<LoggedRequest> =
    problems.length === 0
      ? yield* records.list(customerId, { ...search, ...page })
      : { items: [], next: null }
  const { items, next, searchedTo } = found
  const caption = say("Requests", "درخواست‌ها")
  const isFiltered =
    Object.values({ ...search, order: undefined }).some((each) => each !== undefined) || problems.length > 0
  const now = yield* Clock.currentTimeMillis
  const live =
    view.query.has("cursor") || search.order === "oldest"
      ? null
      : html`data-live="${REFRESH_SECONDS}" data-new="${say("{count} new", "{count} مورد جدید")}"`
  return html`${requestFilters(view, keys)} ${customerId !== null && (yield* savedViews(view, "requests"))}
    ${searchProblems(problems)}
    <section class="panel" id="requests" ${live}>
      ${
        items.length === 0
          ? emptyList(view, found, isFiltered, requestLogDays)
          : table(caption, columnsOf(view, customerId === null, now), items, {
              idOf: ({ id }) => id,
              isCompact: true
            })
      }
      ${pager(view, next, searchedTo)}
    </section>`
})
