import { Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { operatorOf } from "../../domain/Operators.ts"
import type { ShownAlarm } from "../../domain/guard/Alarm.ts"
import type { NamedNetwork } from "../../domain/guard/NetworkNames.ts"
import { isAround, narrowKey } from "../../domain/guard/Segments.ts"
import { operatorName } from "./activity/InsightNames.ts"
import { GUARD_PATH, mayChange } from "./GuardForms.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Locale } from "./frame/Locale.ts"
import type { View } from "./frame/SignedRoutes.ts"
import { badge } from "./parts/Badge.ts"
import { confirmButton } from "./parts/Confirm.ts"
import { table } from "./parts/Lists.ts"
import { isolated, isolatedText, ltr, quoted } from "./parts/Text.ts"
import type { AlarmGroup } from "../../services/guard/GuardRecords.ts"
import { NetworkNames } from "../../services/guard/NetworkNames.ts"

type Texts = readonly [english: string, persian: string]

const reasons: Readonly<Record<ShownAlarm["reason"], Texts>> = {
  unverified: ["Codes are not verified", "کدها تأیید نمی‌شوند"],
  budget: ["Too many unverified codes", "تعداد زیاد کد تأییدنشده"],
  bombed: ["Many services send to this phone", "سرویس‌های زیادی به این شماره می‌فرستند"],
  outage: ["A channel is down; nothing is refused", "یک کانال قطع است؛ چیزی رد نمی‌شود"]
}

export const reasonText = ({ reason }: Pick<ShownAlarm, "reason">, { say }: Locale): string =>
  say(...reasons[reason])

/** What was done, or would have been done, with codes of the alarm's segment. */
export const actionText = ({ action, enforced }: ShownAlarm, { say }: Locale): string => {
  if (action === null) return say("Nothing", "هیچ")
  if (action === "no_sms") {
    return enforced
      ? say("Sent without SMS", "بدون پیامک ارسال شد")
      : say("Would send without SMS", "بدون پیامک ارسال می‌شد")
  }
  return enforced ? say("Refused", "رد شد") : say("Would refuse", "رد می‌شد")
}

/** The budgets of the customer as a whole have their own keys. */
const parts: Readonly<Record<string, Texts>> = {
  "": ["All codes", "همهٔ کدها"],
  common: ["Codes with much in common", "کدهای شبیه به هم"],
  known: ["Codes from known networks", "کدهای شبکه‌های آشنا"],
  vouched: ["Codes from networks that others know", "کدهای شبکه‌های آشنای دیگران"]
}

const HASH_SHOWN = 8

/** The beginning of a keyed hash: enough to tell two alarms apart. */
const hashText = (key: string): string => narrowKey(key).slice(0, HASH_SHOWN)

/** What an alarm is about, as a person says it, and what tells it apart from others like it. */
export interface AlarmSubject {
  readonly name: string
  /** Somebody chose the name: it is shown in its own direction. */
  readonly isNamed: boolean
  /** Latin: a number, a network, a hash. */
  readonly detail: string | null
  /** What is known of the detail. */
  readonly note: string | null
}

const hashed = (name: string, key: string): AlarmSubject => ({
  name,
  isNamed: false,
  detail: hashText(key),
  note: null
})

const networkSubject = (key: string, named: NamedNetwork | null, { say }: Locale): AlarmSubject => {
  if (named !== null) return { name: named.name, isNamed: true, detail: named.network, note: null }
  return hashed(
    isAround({ kind: "network", key }) ? say("Wider network", "شبکهٔ بزرگ‌تر") : say("Network", "شبکه"),
    key
  )
}

const subjectOf = ({ kind, key }: ShownAlarm, named: NamedNetwork | null, locale: Locale): AlarmSubject => {
  const { say } = locale
  switch (kind) {
    case "customer":
      return {
        name: say(...(parts[key] ?? ["All codes", "همهٔ کدها"])),
        isNamed: false,
        detail: null,
        note: null
      }
    case "network":
      return networkSubject(key, named, locale)
    case "prefix":
      return {
        name: say("Number range", "بازهٔ شماره"),
        isNamed: false,
        detail: `${key}••••`,
        note: operatorName(operatorOf(key), locale)
      }
    case "device":
      return hashed(say("Device", "دستگاه"), key)
    case "phone":
      return { name: say("Phone", "شماره"), isNamed: false, detail: key, note: null }
  }
}

/** With the name of the operator's file, where it has the network. */
export const readSubject = Effect.fnUntraced(function* (alarm: ShownAlarm, locale: Locale) {
  const names = yield* NetworkNames
  return subjectOf(alarm, alarm.kind === "network" ? yield* names.nameOf(alarm.key) : null, locale)
})

/** Within a sentence or a title. */
export const subjectText = ({ name, isNamed, detail }: AlarmSubject, locale: Locale): string =>
  `${isNamed ? quoted(name, locale) : name}${detail === null ? "" : ` ${isolatedText(detail)}`}`

/** What a person knows comes first: a chosen name, or a number; what it is stands below. */
const subjectPart = ({ name, isNamed, detail, note }: AlarmSubject, { id }: ShownAlarm): Html => {
  const [title, below] = isNamed
    ? [isolated(name), detail === null ? null : ltr(detail)]
    : [detail === null ? name : ltr(detail), detail === null ? null : name]
  return html`<a class="row-link nowrap" href="${GUARD_PATH}/alarms/${id}">${title}</a>
    ${below !== null && html`<span class="sub">${below}${note !== null && html` · ${note}`}</span>`}`
}

/** The button that ends an alarm, whose question names it. */
export const clearButton = (view: View, alarm: ShownAlarm, subject: AlarmSubject, isSmall: boolean): Html => {
  const { locale } = view
  const { say } = locale
  const what = `${subjectText(subject, locale)} (${reasonText(alarm, locale)})`
  return confirmButton(view, {
    action: `${GUARD_PATH}/alarms/${alarm.id}/clear`,
    label: say("Clear", "بستن"),
    isSmall,
    question: say(
      `${what}. For a false alarm: the guard resets its counts for this.`,
      `${what}. برای هشدار اشتباه: نگهبان شمارش این مورد را از صفر شروع می‌کند.`
    ),
    confirm: say("Clear alarm", "بستن هشدار")
  })
}

export const verifiedText = (
  { codes, verified }: Pick<ShownAlarm, "codes" | "verified">,
  { say, number }: Locale
): string => say(`${number(verified)} of ${number(codes)}`, `${number(verified)} از ${number(codes)}`)

export const stateOf = (
  { newest, openCount }: Pick<AlarmGroup, "newest" | "openCount">,
  { say, clock }: Locale
): Html =>
  openCount === 0
    ? badge("plain", say("Over", "تمام شد"))
    : html`${badge("warn", say("Open", "باز"))}
        <span class="sub nowrap">${say("until", "تا")} ${clock(newest.until)}</span>`

/** A group, and what people call it. */
export type NamedGroup = readonly [group: AlarmGroup, subject: AlarmSubject]

/** Alarms by what they are about: the newest of each, and how many there were. */
export const alarmTable = (groups: ReadonlyArray<NamedGroup>, view: View, now: Instant): Html => {
  const { locale } = view
  const { say, number } = locale
  const times = (count: number) =>
    count > 1 && html`<span class="sub">${say(`${number(count)} times`, `${number(count)} بار`)}</span>`
  return table(
    say("Alarms", "هشدارها"),
    [
      {
        header: say("About", "دربارهٔ"),
        kind: "title",
        cell: ([{ newest }, subject]: NamedGroup) => subjectPart(subject, newest)
      },
      { header: say("Status", "وضعیت"), card: "state", cell: ([group]) => stateOf(group, locale) },
      {
        header: say("Reason", "دلیل"),
        card: "detail",
        cell: ([{ newest, count }]) => html`${reasonText(newest, locale)} ${times(count)}`
      },
      {
        header: say("Verified", "تأیید شد"),
        kind: "number",
        cell: ([group]) => html`<span class="nowrap">${verifiedText(group, locale)}</span>`
      },
      {
        header: say("Action", "اقدام"),
        isOptional: true,
        cell: ([{ newest }]) => actionText(newest, locale)
      },
      {
        header: say("Last", "آخرین"),
        kind: "number",
        card: "time",
        cell: ([{ newest }]) => html`<span class="nowrap">${locale.ago(newest.startedAt, now)}</span>`
      },
      {
        header: say("Actions", "عملیات"),
        kind: "actions",
        cell: ([{ newest }, subject]) =>
          newest.clearedAt === null && mayChange(view) && clearButton(view, newest, subject, true)
      }
    ],
    groups,
    { isCompact: true }
  )
}
