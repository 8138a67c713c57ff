import { monthInWords } from "../Calendar.ts"
import { channelNames, channelType, isChannel } from "../routing/Channel.ts"
import { inOneLine } from "../text/VisibleText.ts"
import type { Locale } from "../verification/CodeText.ts"
import type { AlertRecord, RaisedKind } from "./Alert.ts"

type Words = readonly [english: string, persian: string]

/** What an alert says: its kind, subject, counts. Nothing else is known to it, so it can say nothing secret. */
type SaidAlert = Pick<AlertRecord, "kind" | "subject" | "counts" | "heldBack">

const alertKindNames: Readonly<Record<RaisedKind, Words>> = {
  channel_down: ["Channel down", "قطعی کانال"],
  conversion_fell: ["Conversion fell", "افت نرخ تأیید"],
  balance_low: ["Low balance", "موجودی کم"],
  quota_near: ["Quota nearly used", "سهمیه رو به پایان"],
  budget: ["Budget", "بودجه"],
  guard_alarm: ["Guard alarm", "هشدار نگهبان"],
  webhook_failing: ["Webhook failing", "خطای وب‌هوک"],
  webhook_off: ["Webhook disabled", "وب‌هوک غیرفعال شد"],
  key_expiring: ["Key expires soon", "انقضای نزدیک کلید"],
  work_late: ["Work is late", "تأخیر کارها"],
  test: ["Test alert", "اعلان آزمایشی"]
}

const guardReasons: Readonly<Record<string, Words>> = {
  unverified: ["codes are not verified", "کدها تأیید نمی‌شوند"],
  budget: ["too many unverified codes", "تعداد زیاد کد تأییدنشده"],
  bombed: ["many services send to a phone", "ارسال از سرویس‌های زیاد به یک شماره"],
  outage: ["a channel is down", "قطعی یک کانال"]
}

const tags: Readonly<Record<Locale, string>> = { en: "en-GB", fa: "fa-IR-u-nu-arabext" }

/** In its own direction, and without characters that change what is seen. */
const isolated = (name: string): string => `\u2068${inOneLine(name)}\u2069`

interface Speaker {
  readonly say: (english: string, persian: string) => string
  readonly number: (value: number) => string
  /** The count of this name. */
  readonly count: (name: string) => string
  readonly name: string
  /** Whether the alert has this count. */
  readonly has: (name: string) => boolean
}

const speakerOf = ({ counts, subject }: SaidAlert, locale: Locale): Speaker => {
  const format = new Intl.NumberFormat(tags[locale], { maximumFractionDigits: 1 })
  const number = (value: number) => format.format(value)
  return {
    say: (english, persian) => (locale === "fa" ? persian : english),
    number,
    count: (name) => number(counts[name] ?? 0),
    has: (name) => counts[name] !== undefined,
    name: isolated(subject.name ?? subject.id)
  }
}

const channelIn = (name: string, { say }: Speaker): string =>
  isChannel(name)
    ? say(
        channelNames[name][0],
        channelType(name) === "messenger" ? `پیام‌رسان ${channelNames[name][1]}` : channelNames[name][1]
      )
    : isolated(name)

type Sentence = (speaker: Speaker, alert: SaidAlert) => string

const aboutAccount = ({ say, name }: Speaker): string => say(`The account ${name}`, `حساب ${name}`)

const sentences: Readonly<Record<RaisedKind, Sentence>> = {
  channel_down: (speaker, { subject }) => {
    const { say, count, has } = speaker
    if (subject.type === "account")
      return say(`${aboutAccount(speaker)} cannot send.`, `${aboutAccount(speaker)} نمی‌تواند بفرستد.`)
    const name = channelIn(subject.id, speaker)
    return has("codes")
      ? say(
          `${name}: of the last ${count("codes")} codes, none was delivered or verified.`,
          `${name}: از ${count("codes")} کد آخر، هیچ‌کدام تحویل یا تأیید نشد.`
        )
      : say(`${name} is down.`, `${name} قطع است.`)
  },
  conversion_fell: (speaker, { subject }) => {
    const { say, count } = speaker
    const where = subject.type === "channel" ? `${channelIn(subject.id, speaker)}: ` : ""
    return say(
      `${where}${count("percent")}% of the latest ${count("codes")} codes were verified, ${count("usual_percent")}% before.`,
      `${where}از ${count("codes")} کد آخر ${count("percent")}٪ تأیید شد، پیش از آن ${count("usual_percent")}٪.`
    )
  },
  balance_low: (speaker, { subject }) => {
    const { say, count } = speaker
    return subject.type === "account"
      ? say(
          `${aboutAccount(speaker)} has a credit of ${count("credit")} left at its provider.`,
          `اعتبار ${aboutAccount(speaker)} نزد سرویس‌دهنده ${count("credit")} است.`
        )
      : say(
          `The wallet has ${count("available")} rials left: about ${count("sends")} sends.`,
          `موجودی کیف پول ${count("available")} ریال است: حدود ${count("sends")} ارسال.`
        )
  },
  quota_near: ({ say, count }) =>
    say(
      `${count("used")} of ${count("limit")} sends of this month are used.`,
      `${count("used")} از ${count("limit")} ارسال این ماه مصرف شده است.`
    ),
  budget: ({ say, count, name }, { subject }) => {
    const month = (language: Locale) =>
      subject.name === null ? name : isolated(monthInWords(subject.name, language))
    return say(
      `${count("percent")}% of the budget of ${month("en")} is spent: ${count("spent")} of ${count("limit")} rials.`,
      `${count("percent")}٪ بودجهٔ ${month("fa")} خرج شده است: ${count("spent")} از ${count("limit")} ریال.`
    )
  },
  guard_alarm: ({ say, count, number, has, name }, { subject, counts }) => {
    if (subject.type === "installation")
      return say(
        `Customers with an open alarm of the guard: ${count("customers")}.`,
        `مشتری‌هایی که هشدار باز نگهبان دارند: ${count("customers")}.`
      )
    const words = guardReasons[subject.id]
    const alarms = has("alarms") ? (counts["alarms"] ?? 1) : 1
    return say(
      `The guard has ${number(alarms)} open ${alarms === 1 ? "alarm" : "alarms"}: ${words?.[0] ?? name}.`,
      `نگهبان ${number(alarms)} هشدار باز دارد: ${words?.[1] ?? name}.`
    )
  },
  webhook_failing: ({ say, count, name }) =>
    say(
      `The webhook ${name} has accepted no event for ${count("minutes")} minutes.`,
      `وب‌هوک ${name} از ${count("minutes")} دقیقه پیش رویدادی نپذیرفته است.`
    ),
  webhook_off: ({ say, name }) =>
    say(
      `The webhook ${name} was disabled because it kept failing. It receives no more events.`,
      `وب‌هوک ${name} به‌دلیل خطاهای پیاپی غیرفعال شد و دیگر رویدادی نمی‌گیرد.`
    ),
  key_expiring: ({ say, count, name }, { subject }) =>
    say(
      `The ${subject.type === "token" ? "token" : "key"} ${name} expires in ${count("hours")} hours.`,
      `${subject.type === "token" ? "توکن" : "کلید"} ${name} تا ${count("hours")} ساعت دیگر منقضی می‌شود.`
    ),
  work_late: ({ say, count }) =>
    say(
      `${count("timers")} pieces of due work wait, the oldest for ${count("minutes")} minutes.`,
      `${count("timers")} کار سررسیدشده منتظر است، قدیمی‌ترین از ${count("minutes")} دقیقه پیش.`
    ),
  test: ({ say }) =>
    say("Alerts reach you here. Nothing is wrong.", "اعلان‌ها از این راه به شما می‌رسد. مشکلی نیست.")
}

export const alertKindName = (kind: RaisedKind, locale: Locale): string =>
  alertKindNames[kind][locale === "fa" ? 1 : 0]

/** What has happened, in a sentence. */
export const alertSentence = (alert: SaidAlert, locale: Locale): string =>
  sentences[alert.kind](speakerOf(alert, locale), alert)

const heldBackText = (alert: SaidAlert, locale: Locale): string => {
  const { say, number } = speakerOf(alert, locale)
  const { heldBack } = alert
  return heldBack === 0
    ? ""
    : say(
        `Since the last alert it also happened ${number(heldBack)} ${heldBack === 1 ? "time" : "times"} without one.`,
        `از اعلان قبلی ${number(heldBack)} بار دیگر هم رخ داد که اعلام نشد.`
      )
}

interface Letter {
  readonly subject: string
  readonly text: string
}

const PAGE = "/console/alerts"

/**
 * @param sender the customer's name; null: the installation itself
 * @param baseUrl where people reach the console; null: not known
 */
export const alertLetter = (
  alert: SaidAlert,
  locale: Locale,
  { sender, baseUrl }: { readonly sender: string | null; readonly baseUrl: string | null }
): Letter => {
  const of = sender === null ? "Peyk" : `Peyk · ${inOneLine(sender)}`
  const held = heldBackText(alert, locale)
  const lines = [
    alertSentence(alert, locale),
    ...(held === "" ? [] : [held]),
    ...(baseUrl === null ? [] : ["", `${baseUrl}${PAGE}`])
  ]
  return { subject: `[${of}] ${alertKindName(alert.kind, locale)}`, text: `${lines.join("\n")}\n` }
}

/** In one paragraph: an SMS is short. */
export const alertMessage = (alert: SaidAlert, locale: Locale, sender: string | null): string =>
  [
    `${sender === null ? "Peyk" : inOneLine(sender)}: ${alertKindName(alert.kind, locale)}.`,
    alertSentence(alert, locale),
    heldBackText(alert, locale)
  ]
    .filter((part) => part !== "")
    .join(" ")

/** The letter with the code that confirms an address. */
export const confirmationLetter = (
  code: string,
  minutes: number,
  locale: Locale,
  sender: string | null
): Letter => {
  const of = sender === null ? "Peyk" : inOneLine(sender)
  const minutesText = new Intl.NumberFormat(tags[locale]).format(minutes)
  return locale === "fa"
    ? {
        subject: `[${of}] کد تأیید نشانی اعلان‌ها`,
        text: `کد تأیید این نشانی برای دریافت اعلان‌های ${of}: ${code}\nتا ${minutesText} دقیقه معتبر است. اگر شما نخواسته‌اید، این ایمیل را نادیده بگیرید.\n`
      }
    : {
        subject: `[${of}] Confirm this address for alerts`,
        text: `The code that confirms this address for alerts of ${of}: ${code}\nIt is valid for ${minutesText} minutes. If you did not ask for it, ignore this mail.\n`
      }
}
