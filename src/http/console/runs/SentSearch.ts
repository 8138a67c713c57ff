import { Clock, Effect, Result } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import type { Ordered } from "../../../domain/Paging.ts"
import { parseContactPhone, type Phone } from "../../../domain/Phone.ts"
import { isUuid } from "../../../domain/Uuid.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import { bareNumber, pasted } from "../../../domain/text/PastedText.ts"
import { isStorable } from "../../../domain/text/VisibleText.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { stateText } from "../parts/Badge.ts"
import {
  choiceProblems,
  type Filter,
  orderFilter,
  orderIn,
  readTimes,
  timeFilters,
  withinFilter
} from "../parts/Lists.ts"
import { channelName } from "../parts/Text.ts"

const isChannel = (text: string): text is Channel => Channel.literals.some((channel) => channel === text)

const MAX_TEXT = 200
const LAST_FOUR = /^\d{4}$/

/** The filters that lists of codes and of messages share. */
export interface SentFilters {
  readonly mode: KeyMode
  readonly phone: Phone | undefined
  /** The last four digits of phones. */
  readonly phoneEnd: string | undefined
  readonly order: Ordered["order"]
  readonly channel: Channel | undefined
  readonly from: Instant | undefined
  readonly to: Instant | undefined
  readonly metadata: ReadonlyMap<string, string>
}

/** The search that the address of a list of sends describes. */
export interface SentSearch {
  /** A whole id: the page of that send is what is wanted. */
  readonly id: string | null
  readonly filters: SentFilters
  /** The errors in a search, in words; such a search finds nothing. */
  readonly problems: ReadonlyArray<string>
}

interface SearchFilters {
  readonly shown: ReadonlyArray<Filter>
  /** Filters behind “More filters”. */
  readonly folded: ReadonlyArray<Filter>
}

const readMetadata = (text: string): ReadonlyMap<string, string> | null => {
  const at = text.indexOf("=")
  const [key, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  return at > 0 && value !== "" && text.length <= MAX_TEXT && isStorable(text)
    ? new Map([[key, value]])
    : null
}

export const readSearch = (
  { query, locale }: Pick<View, "query" | "locale">,
  { shown, folded }: SearchFilters
) =>
  Effect.map(Clock.currentTimeMillis, (now): SentSearch => {
    const { say } = locale
    const problems: Array<string> = []
    const text = (name: string) => (query.get(name) ?? "").trim()
    const wanted = pasted(text("q")).toLowerCase()
    const id = isUuid(wanted) ? wanted : null
    const phone = wanted === "" || id !== null ? undefined : Result.getOrUndefined(parseContactPhone(wanted))
    const digits = bareNumber(wanted)
    const phoneEnd = LAST_FOUR.test(digits) ? digits : undefined
    if (wanted !== "" && id === null && phone === undefined && phoneEnd === undefined)
      problems.push(
        say(
          "Enter a phone number, its last four digits, or a complete id.",
          "شمارهٔ موبایل، چهار رقم آخر آن یا شناسهٔ کامل را وارد کنید."
        )
      )
    const metadata = text("metadata") === "" ? new Map<string, string>() : readMetadata(text("metadata"))
    if (metadata === null)
      problems.push(say("Enter metadata as key=value.", "متادیتا را به شکل key=value وارد کنید."))
    const { from, to, problems: timeProblems } = readTimes({ query, locale }, now)
    const channel = text("channel")
    const filters = {
      mode: text("mode") === "test" ? ("test" as const) : ("live" as const),
      phone,
      phoneEnd,
      order: orderIn({ query }),
      channel: isChannel(channel) ? channel : undefined,
      from,
      to,
      metadata: metadata ?? new Map<string, string>()
    }
    return {
      id,
      filters,
      problems: [...problems, ...choiceProblems({ query, locale }, [...shown, ...folded]), ...timeProblems]
    }
  })

/** The fields of the filters that lists of codes and of messages share. */
export const searchFilters = (
  locale: View["locale"],
  statuses: ReadonlyArray<string>,
  channels: ReadonlyArray<Channel>,
  more: ReadonlyArray<Filter> = []
): SearchFilters => {
  const { say } = locale
  return {
    shown: [
      {
        name: "q",
        label: say("Phone, last four digits, or id", "شماره، چهار رقم آخر، یا شناسه"),
        placeholder: "0912… / 4567",
        isLtr: true,
        isWide: true
      },
      {
        name: "status",
        label: say("Status", "وضعیت"),
        any: say("All", "همه"),
        choices: statuses.map((status) => [status, stateText(status, locale)] as const)
      },
      {
        name: "channel",
        label: say("Channel", "کانال"),
        any: say("All", "همه"),
        choices: channels.map((channel) => [channel, channelName(channel, locale)] as const)
      },
      withinFilter(locale)
    ],
    folded: [
      orderFilter(locale),
      ...timeFilters(locale),
      { name: "metadata", label: say("Metadata", "متادیتا"), placeholder: "order=1843", isLtr: true },
      {
        name: "mode",
        label: say("Mode", "حالت"),
        any: say("Live", "واقعی"),
        anyValue: "live",
        choices: [["test", say("Sandbox", "محیط آزمایشی")]]
      },
      ...more
    ]
  }
}

export const isStatus =
  <Status extends string>(statuses: ReadonlyArray<Status>) =>
  (text: string | null): Status | undefined =>
    statuses.find((status) => status === text)
