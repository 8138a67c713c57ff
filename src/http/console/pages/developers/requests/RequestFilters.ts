import { Clock, Effect, Result } from "effect"
import { DAY_MILLIS, HOUR_MILLIS } from "../../../../../domain/Instant.ts"
import type { KeyMode } from "../../../../../domain/customer/Customer.ts"
import { maskPhoneInAscii, parseContactPhone } from "../../../../../domain/Phone.ts"
import { pasted } from "../../../../../domain/text/PastedText.ts"
import type { RequestSearch } from "../../../../../services/activity/RequestRecords.ts"
import type { Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { stateWords } from "../../../parts/Badge.ts"
import { type ChoiceFilter, choiceProblems, filters } from "../../../parts/lists/Filters.ts"
import { readTimes, timeFilters } from "../../../parts/lists/TimeFilters.ts"

const periods = { "1h": HOUR_MILLIS, "24h": DAY_MILLIS } as const
const isPeriod = (text: string): text is keyof typeof periods => Object.hasOwn(periods, text)

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
const CODE = /^[a-z_]{1,60}$/
const KEY = /^[1-9]\d{0,8}$/

export interface TypedSearch {
  readonly search: RequestSearch
  /** What could not be understood, in words; such a search finds nothing. */
  readonly problems: ReadonlyArray<string>
}

const subjectOf = (text: string): Pick<RequestSearch, "id" | "maskedPhone"> | null => {
  if (text === "") return {}
  const phone = parseContactPhone(text)
  if (Result.isSuccess(phone)) return { maskedPhone: maskPhoneInAscii(phone.success) }
  return ID.test(text) ? { id: text } : null
}

const areaWords = (area: string, { say }: View["locale"]): string => {
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
): Readonly<Record<"outcome" | "route" | "within" | "mode", ChoiceFilter>> => {
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
      label: say("Route", "مسیر"),
      any: say("All", "همه"),
      choices: areas.map((area) => [area, areaWords(area, locale)] as const)
    },
    within: {
      name: "within",
      label: say("Time", "زمان"),
      any: say("Any time", "هر زمان"),
      choices: [
        ["1h", say("Last hour", "ساعت گذشته")],
        ["24h", say("Last 24 hours", "۲۴ ساعت گذشته")]
      ]
    },
    mode: {
      name: "mode",
      label: say("Environment", "محیط"),
      any: say("All", "همه"),
      choices: modes.map((mode) => [mode, stateWords(mode, locale)] as const)
    }
  }
}

/** What the address of the request log asks for. */
export const readRequestSearch = ({ query, locale }: Pick<View, "query" | "locale">) =>
  Effect.map(Clock.currentTimeMillis, (now): TypedSearch => {
    const text = (name: string) => pasted(query.get(name) ?? "")
    const { from, to, problems } = readTimes({ query, locale })
    const subject = subjectOf(text("q"))
    const [outcome, period, code] = [text("outcome"), text("within"), text("code")]
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
        from: from ?? (isPeriod(period) ? now - periods[period] : undefined),
        to
      },
      problems: [
        ...(subject === null || !isCode
          ? [
              locale.say(
                "This is not a phone number, an id or an error code.",
                "این شماره، شناسه یا کد خطا نیست."
              )
            ]
          : []),
        ...(key === undefined && text("key") !== ""
          ? [locale.say("This is not the number of a key.", "این شمارهٔ کلید نیست.")]
          : []),
        ...choiceProblems({ query, locale }, Object.values(choicesOf(locale))),
        ...problems
      ]
    }
  })

export const requestFilters = (
  view: View,
  keys: ReadonlyArray<{ readonly id: number; readonly name: string }>
): Html => {
  const { locale } = view
  const { say } = locale
  const { outcome, route, within, mode } = choicesOf(locale)
  return filters(
    view,
    [
      {
        name: "q",
        label: say("Request id, phone, or id of a send", "شناسهٔ درخواست، شماره یا شناسهٔ ارسال"),
        isLtr: true,
        isWide: true
      },
      outcome,
      route,
      within
    ],
    [
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
