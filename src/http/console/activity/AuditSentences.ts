import { PLATFORM } from "../../../domain/customer/Customer.ts"
import { isCommandLine } from "../../../domain/user/Actor.ts"
import { pathOf } from "../Navigation.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { isolated, quoted, shortId } from "../parts/Text.ts"
import type { AuditActor, AuditRecord } from "../../../services/activity/AuditLog.ts"
import { changesOf, routingChangesOf } from "./AuditChanges.ts"

type Words = readonly [english: string, persian: string]
type Details = AuditRecord["details"]

/**
 * `{who}` is the actor, and `{thing}` the subject with its name; other names in braces are details, as numbers or text.
 * A sentence is chosen by the details where it depends on them.
 */
interface Sentence {
  readonly words: Words | ((details: Details) => Words)
  /** What it has changed, after the sentence. */
  readonly changes?: (record: AuditRecord, locale: Locale) => ReadonlyArray<string>
  /** The subject is gone: nothing to link to. */
  readonly isGone?: boolean
}

const sentence = (english: string, persian: string): Sentence => ({ words: [english, persian] })
const removal = (english: string, persian: string): Sentence => ({ words: [english, persian], isGone: true })
const update = (english: string, persian: string): Sentence => ({
  words: [english, persian],
  changes: changesOf
})

const replayed = (details: Details): Words =>
  details["event_id"] === undefined
    ? [
        "{who} delivered the events of the webhook {thing} again: {replayed}",
        "{who} رویدادهای وب‌هوک {thing} را دوباره فرستاد: {replayed}"
      ]
    : [
        "{who} delivered an event of the webhook {thing} again",
        "{who} یک رویداد وب‌هوک {thing} را دوباره فرستاد"
      ]

const guardEntry =
  (verb: "add" | "remove") =>
  (details: Details): Words => {
    const isDenied = details["list"] === "deny"
    if (verb === "add")
      return isDenied
        ? ["{who} added an entry to the deny list ({type})", "{who} موردی به فهرست ممنوع افزود ({type})"]
        : ["{who} added an entry to the allow list ({type})", "{who} موردی به فهرست مجاز افزود ({type})"]
    return isDenied
      ? ["{who} removed an entry of the deny list ({type})", "{who} موردی را از فهرست ممنوع برداشت ({type})"]
      : ["{who} removed an entry of the allow list ({type})", "{who} موردی را از فهرست مجاز برداشت ({type})"]
  }

const forced = (details: Details): Words =>
  details["outcome"] === null
    ? ["{who} took back the forced outcome of {thing}", "{who} نتیجهٔ تعیین‌شدهٔ {thing} را برداشت"]
    : [
        "{who} forced the next outcome of {thing}: {outcome}",
        "{who} نتیجهٔ بعدی {thing} را تعیین کرد: {outcome}"
      ]

const signIn = (details: Details): Words =>
  details["by"] !== "link"
    ? ["{who} signed in", "{who} وارد شد"]
    : details["made_by"] === undefined
      ? ["{who} signed in by a link", "{who} با لینک ورود وارد شد"]
      : ["{who} signed in by a link of {made_by}", "{who} با لینکی که {made_by} ساخت وارد شد"]

const tested = (details: Details): Words =>
  details["mode"] === "sandbox"
    ? ["{who} sent a sandbox test: {thing}", "{who} یک آزمایش در محیط آزمایشی فرستاد: {thing}"]
    : ["{who} sent a live test: {thing}", "{who} یک آزمایش واقعی فرستاد: {thing}"]

const triedNext = (details: Details): Words =>
  details["channel"] === undefined
    ? ["{who} tried the next channel of {thing}", "{who} کانال بعدی {thing} را امتحان کرد"]
    : ["{who} tried {thing} over {channel}", "{who} {thing} را از کانال {channel} امتحان کرد"]

/** A sentence for every name in the audit log. */
const sentences: Readonly<Record<string, Sentence>> = {
  "account.connect": sentence(
    "{who} connected the account {thing} ({channel}, {provider})",
    "{who} حساب {thing} را وصل کرد ({channel}، {provider})"
  ),
  "account.update": update("{who} changed the account {thing}", "{who} حساب {thing} را تغییر داد"),
  "account.remove": removal("{who} deleted the account {thing}", "{who} حساب {thing} را حذف کرد"),
  "account.rotate_inbox": sentence(
    "{who} changed the inbox path of {thing}",
    "{who} نشانی دریافت {thing} را عوض کرد"
  ),
  "account.force_outcome": { words: forced },
  "contacts.import": sentence(
    "{who} linked {imported} phones to {thing}",
    "{who} {imported} شماره را به {thing} وصل کرد"
  ),
  "contacts.remove": sentence("{who} removed a phone from {thing}", "{who} یک شماره را از {thing} برداشت"),
  "routing.save": {
    words: ["{who} changed the routing", "{who} ترتیب ارسال را تغییر داد"],
    changes: routingChangesOf
  },
  "routing.restore": {
    words: [
      "{who} restored version {restored} of the routing",
      "{who} نسخهٔ {restored} ترتیب ارسال را برگرداند"
    ],
    changes: routingChangesOf
  },
  "template.create": sentence("{who} created the template {thing}", "{who} قالب {thing} را ساخت"),
  "template.update": update("{who} changed the template {thing}", "{who} قالب {thing} را تغییر داد"),
  "wallet.set_budget": update("{who} changed the monthly budget", "{who} بودجهٔ ماهانه را تغییر داد"),
  "view.create": sentence("{who} saved the view {thing}", "{who} نمای {thing} را ذخیره کرد"),
  "view.rename": update("{who} renamed the view {thing}", "{who} نام نمای {thing} را تغییر داد"),
  "view.remove": removal("{who} deleted the view {thing}", "{who} نمای {thing} را حذف کرد"),
  "template.remove": removal("{who} deleted the template {thing}", "{who} قالب {thing} را حذف کرد"),
  "guard.save": update("{who} changed the guard", "{who} نگهبان را تغییر داد"),
  "guard.add": { words: guardEntry("add") },
  "guard.remove": { words: guardEntry("remove") },
  "guard.clear": sentence(
    "{who} ended an alarm of the guard ({reason})",
    "{who} یک هشدار نگهبان را پایان داد ({reason})"
  ),
  "alert.save_settings": update("{who} changed the alerts", "{who} اعلان‌ها را تغییر داد"),
  "alert.add_recipient": sentence(
    "{who} added a recipient of alerts ({type})",
    "{who} گیرنده‌ای برای اعلان‌ها افزود ({type})"
  ),
  "alert.confirm_recipient": sentence(
    "{who} confirmed a recipient of alerts ({type})",
    "{who} گیرنده‌ای از اعلان‌ها را تأیید کرد ({type})"
  ),
  "alert.remove_recipient": removal(
    "{who} removed a recipient of alerts ({type})",
    "{who} گیرنده‌ای از اعلان‌ها را حذف کرد ({type})"
  ),
  "alert.test": sentence("{who} sent a test alert ({type})", "{who} یک اعلان آزمایشی فرستاد ({type})"),
  "api_key.create": sentence("{who} created the {mode} key {thing}", "{who} کلید {thing} را ساخت ({mode})"),
  "api_key.update": update("{who} changed the key {thing}", "{who} کلید {thing} را تغییر داد"),
  "api_key.revoke": sentence("{who} revoked the key {thing}", "{who} کلید {thing} را باطل کرد"),
  "api_key.rotate": sentence(
    "{who} rotated the key {thing}: the old one stays valid for {overlap_seconds} s",
    "{who} کلید {thing} را تعویض کرد: کلید قبلی {overlap_seconds} ثانیه معتبر می‌ماند"
  ),
  "token.create": sentence(
    "{who} created the token {thing} ({scope})",
    "{who} توکن {thing} را ساخت ({scope})"
  ),
  "token.revoke": sentence("{who} revoked the token {thing}", "{who} توکن {thing} را باطل کرد"),
  "webhook.create": sentence("{who} created the webhook {thing}", "{who} وب‌هوک {thing} را ساخت"),
  "webhook.update": update("{who} changed the webhook {thing}", "{who} وب‌هوک {thing} را تغییر داد"),
  "webhook.remove": removal("{who} deleted the webhook {thing}", "{who} وب‌هوک {thing} را حذف کرد"),
  "webhook.test": sentence(
    "{who} sent a test event to the webhook {thing}",
    "{who} یک رویداد آزمایشی به وب‌هوک {thing} فرستاد"
  ),
  "webhook.rotate_secret": sentence(
    "{who} changed the secret of the webhook {thing}",
    "{who} رمز وب‌هوک {thing} را تعویض کرد"
  ),
  "webhook.replay": { words: replayed },
  "webhook.listen": {
    ...sentence(
      "{who} began to listen to {mode} events with a program",
      "{who} با یک برنامه به رویدادها گوش داد ({mode})"
    ),
    isGone: true
  },
  "verification.cancel": sentence("{who} canceled {thing}", "{who} {thing} را لغو کرد"),
  "verification.next": { words: triedNext },
  "message.cancel": sentence("{who} canceled {thing}", "{who} {thing} را لغو کرد"),
  "message.batch": sentence(
    "{who} sent a file of messages: {created} accepted, {refused} refused",
    "{who} یک فایل پیام فرستاد: {created} پذیرفته، {refused} ردشده"
  ),
  "test.send": { words: tested },
  "phone.erase": sentence(
    "{who} erased a phone: {verifications} codes, {messages} messages, {contacts} contacts",
    "{who} یک شماره را پاک کرد: {verifications} کد، {messages} پیام، {contacts} مخاطب"
  ),
  "customer.create": sentence("{who} created the customer {thing}", "{who} مشتری {thing} را ساخت"),
  "customer.set_up": sentence("{who} set up the customer {thing}", "{who} مشتری {thing} را راه انداخت"),
  "customer.update": update("{who} changed the settings of {thing}", "{who} تنظیمات {thing} را تغییر داد"),
  "customer.set_limits": update("{who} changed the limits of {thing}", "{who} سقف‌های {thing} را تغییر داد"),
  "customer.move": sentence(
    "{who} moved the customer {thing} to cell {cell}",
    "{who} مشتری {thing} را به سلول {cell} برد"
  ),
  "customer.enter": sentence("{who} opened the console of {thing}", "{who} کنسول {thing} را باز کرد"),
  "wallet.top_up": sentence(
    "{who} topped up the wallet: {amount} rials",
    "{who} کیف پول را شارژ کرد: {amount} ریال"
  ),
  "user.create": sentence("{who} added the user {thing} ({role})", "{who} کاربر {thing} را افزود ({role})"),
  "user.update": update("{who} changed the user {thing}", "{who} کاربر {thing} را تغییر داد"),
  "user.set_password": sentence("{who} changed the password of {thing}", "{who} گذرواژهٔ {thing} را عوض کرد"),
  "user.create_sign_in_link": sentence(
    "{who} made a sign-in link for {thing}",
    "{who} برای {thing} لینک ورود ساخت"
  ),
  "user.sign_in": { words: signIn },
  "user.sign_in_failed": sentence(
    "A sign-in as {thing} failed ({reason})",
    "ورود به نام {thing} ناموفق بود ({reason})"
  ),
  "user.session_ended": sentence(
    "A session of {thing} was ended ({reason})",
    "یک نشست {thing} پایان یافت ({reason})"
  ),
  "user.sign_out": sentence("{who} signed out", "{who} خارج شد"),
  "user.sign_out_everywhere": sentence("{who} signed out everywhere", "{who} از همه‌جا خارج شد"),
  "user.end_session": sentence("{who} ended one of their sessions", "{who} یکی از نشست‌های خود را پایان داد"),
  "user.enrol_app": sentence("{who} set up an authenticator app", "{who} برنامهٔ رمزساز را راه‌اندازی کرد"),
  "user.remove_app": sentence("{who} removed their authenticator app", "{who} برنامهٔ رمزساز خود را حذف کرد"),
  "user.add_passkey": sentence("{who} added the passkey {passkey}", "{who} گذرکلید {passkey} را افزود"),
  "user.remove_passkey": sentence(
    "{who} removed the passkey {passkey}",
    "{who} گذرکلید {passkey} را حذف کرد"
  ),
  "user.renew_recovery_codes": sentence("{who} made new recovery codes", "{who} کدهای بازیابی جدید ساخت"),
  "user.reset_second_factor": sentence(
    "{who} reset the second factor of {thing}",
    "{who} ورود دومرحله‌ای {thing} را پاک کرد"
  ),
  "operator.create": sentence("{who} added the operator {thing}", "{who} مدیر سامانهٔ {thing} را افزود"),
  "operator.create_sign_in_link": sentence(
    "{who} made a sign-in link for the operator {thing}",
    "{who} برای مدیر سامانهٔ {thing} لینک ورود ساخت"
  ),
  "signing_key.rotate": sentence(
    "{who} rotated the key that signs sessions",
    "{who} کلید امضای نشست‌ها را تعویض کرد"
  )
}

/** Whether the log can say an action in words. */
export const hasSentence = (action: string): boolean => Object.hasOwn(sentences, action)

/** The pages of things, by the kinds of subjects: with the id, or one for all. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  account: (id) => `${pathOf("channels")}/${id}`,
  api_key: (id) => `${pathOf("keys")}/${id}`,
  token: () => pathOf("tokens"),
  webhook: (id) => `${pathOf("webhooks")}/${id}`,
  template: (id) => `${pathOf("templates")}/${id}`,
  verification: (id) => `${pathOf("verifications")}/${id}`,
  message: (id) => `${pathOf("messages")}/${id}`,
  user: (id) => `${pathOf("users")}/${id}`,
  routing: () => pathOf("routing"),
  guard: () => pathOf("guard"),
  alert: () => pathOf("alerts"),
  wallet: () => pathOf("wallet"),
  customer: () => pathOf("settings")
}

/** Operators have no page: this lists what one of them has changed. */
const changesOfOperator = (id: string) => `${pathOf("all-audit")}?who=operator%3A${encodeURIComponent(id)}`

const platformPages: Readonly<Record<string, (id: string) => string>> = {
  account: (id) => `${pathOf("shared-accounts")}/${id}`,
  operator: changesOfOperator,
  user: changesOfOperator
}

/** The page of what was changed; null: it has none, or is in the console of another customer. */
export const subjectPath = (
  { subjectType, subjectId, customerId, action }: AuditRecord,
  shownCustomer: number
): string | null => {
  if (sentences[action]?.isGone === true) return null
  if (customerId === PLATFORM) return platformPages[subjectType]?.(subjectId) ?? null
  if (customerId !== shownCustomer) return `${pathOf("customers")}/${customerId}`
  return pages[subjectType]?.(subjectId) ?? null
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

const nounOf = ({ subjectType }: AuditRecord, { say }: Locale): string =>
  subjectType === "verification"
    ? say("the code ", "کد ")
    : subjectType === "message"
      ? say("the message ", "پیام ")
      : ""

const thingPart = (record: AuditRecord, locale: Locale): Part => {
  const { subjectName, subjectId } = record
  if (subjectName !== null && subjectName !== "") return quoted(subjectName, locale)
  return UUID.test(subjectId) ? shortId(subjectId) : html`<bdi>#${subjectId}</bdi>`
}

/** The actor's name. That of the command line says nothing by itself. */
export const actorText = (actor: AuditActor, { say }: Locale): string =>
  isCommandLine(actor) ? say("An operator (command line)", "مدیر سامانه (خط فرمان)") : actor.name

export const actorOf = ({ actorKind, actorId, actorName }: AuditRecord): AuditActor => ({
  kind: actorKind,
  id: actorId,
  name: actorName
})

const detailWords: Readonly<Record<string, Words>> = {
  live: ["live", "واقعی"],
  test: ["test", "آزمایشی"],
  full: ["full access", "دسترسی کامل"],
  read_only: ["read only", "فقط خواندن"],
  owner: ["owner", "مالک"],
  developer: ["developer", "توسعه‌دهنده"],
  viewer: ["viewer", "بیننده"],
  phone: ["phone", "شماره"],
  email: ["email", "ایمیل"],
  user: ["user", "کاربر"],
  prefix: ["number prefix", "پیش‌شماره"],
  network: ["network", "شبکه"],
  ip: ["network", "شبکه"],
  unverified: ["codes are not verified", "کدها تأیید نمی‌شوند"],
  budget: ["too many unverified codes", "تعداد زیاد کد تأییدنشده"],
  bombed: ["many services send to a phone", "ارسال از سرویس‌های زیاد به یک شماره"],
  outage: ["a channel is down", "قطعی یک کانال"],
  wrong_password: ["wrong password", "گذرواژهٔ نادرست"],
  wrong_second_factor: ["wrong second factor", "مرحلهٔ دوم نادرست"],
  disabled: ["the user is disabled", "کاربر غیرفعال است"],
  "a refresh token was used twice": ["a refresh token was used twice", "استفادهٔ دوباره از یک توکن"]
}

const detailPart = (value: unknown, { say, number }: Locale): Part => {
  if (typeof value === "number") return number(value)
  if (typeof value !== "string")
    return value === undefined || value === null ? "–" : isolated(JSON.stringify(value))
  const words = Object.hasOwn(detailWords, value) ? detailWords[value] : undefined
  return words === undefined ? (UUID.test(value) ? shortId(value) : isolated(value)) : say(...words)
}

/** How the parts of a sentence are linked. */
interface Links {
  readonly thing: string | null
  readonly who: string | null
}

const linked = (href: string | null, text: Part): Part =>
  href === null ? text : html`<a href="${href}">${text}</a>`

const unknown: Sentence = sentence("{who} changed {thing}", "{who} {thing} را تغییر داد")

/** An entry of the log as a sentence: who did what to what. */
export const sentenceOf = (record: AuditRecord, links: Links, locale: Locale): Html => {
  const { words } = sentences[record.action] ?? unknown
  const text = locale.say(...(typeof words === "function" ? words(record.details) : words))
  const hasThing = text.includes("{thing}")
  const part = (name: string): Part => {
    if (name === "who")
      return html`<strong>${linked(links.who, isolated(actorText(actorOf(record), locale)))}</strong>`
    if (name !== "thing") return detailPart(record.details[name], locale)
    return [nounOf(record, locale), linked(links.thing, thingPart(record, locale))]
  }
  const parts = text.split(/\{(\w+)\}/).map((each, index) => (index % 2 === 0 ? each : part(each)))
  return hasThing || links.thing === null
    ? html`${parts}`
    : html`${parts.slice(0, 2)}${linkedWords(parts, links)}`
}

/** The words after the actor lead to the thing, where the sentence has no name of it. */
const linkedWords = (parts: ReadonlyArray<Part>, { thing }: Links): Part => {
  const [words = "", ...rest] = parts.slice(2)
  if (typeof words !== "string") return [" ", linked(thing, words), rest]
  // what follows in brackets is not of the link, nor is its bracket
  const [, own = "", after = ""] = /^\s*(.*?)(\s*[(:]?\s*)$/s.exec(words) ?? []
  return [" ", linked(thing, own), after, rest]
}

/** The changes that an entry has made, each in words. */
export const changesIn = (record: AuditRecord, locale: Locale): ReadonlyArray<string> => {
  const known = sentences[record.action]
  return known === undefined ? changesOf(record, locale) : (known.changes?.(record, locale) ?? [])
}
