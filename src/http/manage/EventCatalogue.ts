import { Phone } from "../../domain/Phone.ts"
import {
  type AlertSnapshot,
  type EventSubject,
  TEST_EVENT,
  type WebhookEvent,
  WebhookEventType
} from "../../domain/Webhook.ts"
import type { GuardEventType, ShownAlarm } from "../../domain/guard/Alarm.ts"
import type { MessageAttempt, MessageEventType, ShownMessage } from "../../domain/message/Message.ts"
import type { Attempt, EventType, ShownVerification } from "../../domain/verification/Verification.ts"
import { type AlertEventType, alertKindOf } from "../../domain/alert/Alert.ts"
import { webhookPayload } from "./WebhookPayload.ts"

type Type = typeof WebhookEventType.Type | typeof TEST_EVENT
type Words = readonly [english: string, persian: string]

/** When each event is sent: the documents and the console say it in these words. */
const moments: Readonly<Record<Type, Words>> = {
  "verification.queued": [
    "the first channel was tried; the code is on its way, or will be",
    "کانال اول امتحان شد؛ کد در راه است یا می‌شود"
  ],
  "verification.attempt_sent": ["a channel accepted the code", "یک کانال کد را پذیرفت"],
  "verification.attempt_failed": ["a channel did not accept the code", "یک کانال کد را نپذیرفت"],
  "verification.attempt_unknown": [
    "the provider's response was lost: the code may have arrived",
    "پاسخ سرویس‌دهنده گم شد؛ شاید کد رسیده باشد"
  ],
  "verification.attempt_delivered": [
    "the provider reported that the code reached the phone",
    "سرویس‌دهنده گزارش داد که کد به گوشی رسید"
  ],
  "verification.attempt_undelivered": [
    "the provider reported that it never will",
    "سرویس‌دهنده گزارش داد که کد نمی‌رسد"
  ],
  "verification.verified": ["the right code was entered", "کد درست وارد شد"],
  "verification.failed": ["no channel accepted the code", "هیچ کانالی کد را نپذیرفت"],
  "verification.locked": ["too many wrong codes were entered", "کد اشتباه بیش از اندازه وارد شد"],
  "verification.expired": ["the code was not entered in time", "کد به‌موقع وارد نشد"],
  "verification.canceled": ["you canceled the verification", "خودتان کد را لغو کردید"],
  "message.queued": ["a message was accepted, for now or for later", "پیام پذیرفته شد، برای حالا یا بعد"],
  "message.sending": ["its first route is being tried", "اولین مسیر آن در حال امتحان است"],
  "message.sent": [
    "a route accepted it; of a broadcast, all did",
    "یک مسیر آن را پذیرفت؛ در ارسال همگانی، همه"
  ],
  "message.failed": ["no route accepted it", "هیچ مسیری آن را نپذیرفت"],
  "message.partial_failed": [
    "some routes of a broadcast failed",
    "بعضی از مسیرهای ارسال همگانی ناموفق بودند"
  ],
  "message.canceled": ["you canceled it, and nothing was sent", "خودتان آن را لغو کردید و چیزی فرستاده نشد"],
  "message.attempt_delivered": [
    "the provider reported that it reached the phone",
    "سرویس‌دهنده گزارش داد که پیام به گوشی رسید"
  ],
  "message.attempt_undelivered": [
    "the provider reported that it never will",
    "سرویس‌دهنده گزارش داد که پیام نمی‌رسد"
  ],
  "guard.alarm": ["the guard raised an alarm", "نگهبان هشدار داد"],
  "guard.cleared": ["you ended an alarm of the guard", "یک هشدار نگهبان را پایان دادید"],
  "alert.channel_down": [
    "people were alerted: a channel or an account is down",
    "اعلان: یک کانال یا حساب قطع است"
  ],
  "alert.conversion_fell": [
    "people were alerted: fewer codes are verified than usual",
    "اعلان: نرخ تأیید افت کرده است"
  ],
  "alert.balance_low": [
    "people were alerted: a wallet or a credit runs out",
    "اعلان: موجودی یا اعتبار رو به پایان است"
  ],
  "alert.quota_near": ["people were alerted: the quota is nearly used", "اعلان: سهمیه رو به پایان است"],
  "alert.budget": ["people were alerted: a part of the budget is spent", "اعلان: بخشی از بودجه خرج شده است"],
  "alert.guard_alarm": ["people were alerted: the guard has an open alarm", "اعلان: نگهبان هشدار باز دارد"],
  "alert.webhook_failing": ["people were alerted: another webhook fails", "اعلان: وب‌هوک دیگری خطا می‌دهد"],
  "alert.webhook_off": ["people were alerted: another webhook was disabled", "اعلان: وب‌هوک دیگری غیرفعال شد"],
  "alert.key_expiring": ["people were alerted: a key ends soon", "اعلان: کلیدی به‌زودی منقضی می‌شود"],
  "webhook.test": ["you asked for it; only this webhook gets it", "خودتان خواستید؛ فقط همین وب‌هوک می‌گیرد"]
}

/** 2026-03-14T09:30:00Z */
const AT = 1_773_480_600_000
const SECOND = 1000
const ID = "0195f7a0-2c1b-7d3e-8a51-6f0c2b9d4e17"
const PHONE = Phone.make("+989121234567")
const bale = {
  channel: "bale",
  account_id: 7,
  descriptor: { type: "messenger", provider: "bale", credential_id: 7, label: "Bale" }
} as const
const sms = {
  channel: "sms",
  account_id: 8,
  descriptor: { type: "sms", provider: "kavenegar", credential_id: 8, label: "Kavenegar" }
} as const

const attempt: Attempt = {
  step: 0,
  status: "sent",
  error_code: null,
  provider_error: null,
  provider_message_id: "4711",
  attempted_at: AT
}
const refusedAttempt: Attempt = {
  ...attempt,
  status: "failed",
  error_code: "recipient_unreachable",
  provider_error: "404: the recipient is not a member",
  provider_message_id: null
}
const smsAttempt: Attempt = { ...attempt, step: 1, attempted_at: AT + SECOND }
const delivered = { status: "delivered", at: AT + 4 * SECOND, provider_error: null } as const
const undelivered = { status: "undelivered", at: null, provider_error: "11: blocked" } as const

const code: ShownVerification = {
  id: ID,
  phone: PHONE,
  status: "queued",
  route: [
    { ...bale, wait: 60 },
    { ...sms, wait: 60 }
  ],
  attempts: [attempt],
  nextStepAt: AT + 60 * SECOND,
  expiresAt: AT + 300 * SECOND,
  verifiedAt: null,
  metadata: `{"order":"A-17"}`
}
const over = { nextStepAt: null, attempts: [refusedAttempt, smsAttempt] }

/** What an event says of a code. */
const codes: Readonly<Record<EventType, Partial<ShownVerification>>> = {
  "verification.queued": {},
  "verification.attempt_sent": {},
  "verification.attempt_failed": { attempts: [refusedAttempt] },
  "verification.attempt_unknown": {
    attempts: [{ ...refusedAttempt, error_code: "provider_outcome_unknown", provider_error: null }]
  },
  "verification.attempt_delivered": { attempts: [{ ...attempt, delivery: delivered }] },
  "verification.attempt_undelivered": { attempts: [{ ...attempt, delivery: undelivered }] },
  "verification.verified": { ...over, status: "verified", verifiedAt: AT },
  "verification.failed": {
    ...over,
    status: "failed",
    attempts: [refusedAttempt, { ...refusedAttempt, step: 1, error_code: "provider_rejected" }]
  },
  "verification.locked": { ...over, status: "locked" },
  "verification.expired": { ...over, status: "expired", expiresAt: AT },
  "verification.canceled": { ...over, status: "canceled" }
}

const messageAttempt: MessageAttempt = {
  step: 0,
  status: "sent",
  tries: 1,
  error_code: null,
  provider_error: null,
  provider_message_id: "4711",
  due_at: AT,
  attempted_at: AT,
  finished_at: AT + SECOND
}
const refusedMessage: MessageAttempt = {
  ...messageAttempt,
  status: "failed",
  error_code: "recipient_unreachable",
  provider_error: "404: the recipient is not a member",
  provider_message_id: null
}
const message: ShownMessage = {
  id: ID,
  phone: PHONE,
  status: "sent",
  strategy: "failover",
  route: [bale, sms],
  template: { id: 3, name: "order", parameters: { name: "Sara" } },
  metadata: `{"order":"A-17"}`,
  attempts: [messageAttempt],
  scheduledFor: null,
  createdAt: AT,
  completedAt: AT + SECOND
}
const open = { completedAt: null }
const sending: MessageAttempt = {
  ...messageAttempt,
  status: "sending",
  provider_message_id: null,
  finished_at: null
}

const messages: Readonly<Record<MessageEventType, Partial<ShownMessage>>> = {
  "message.queued": { ...open, status: "queued", attempts: [] },
  "message.sending": { ...open, status: "sending", attempts: [sending] },
  "message.sent": {},
  "message.failed": { status: "failed", attempts: [refusedMessage, { ...refusedMessage, step: 1 }] },
  "message.partial_failed": {
    status: "partial_failed",
    strategy: "broadcast",
    attempts: [refusedMessage, { ...messageAttempt, step: 1 }]
  },
  "message.canceled": { status: "canceled", attempts: [] },
  "message.attempt_delivered": { attempts: [{ ...messageAttempt, delivery: delivered }] },
  "message.attempt_undelivered": { attempts: [{ ...messageAttempt, delivery: undelivered }] }
}

const alarm: ShownAlarm = {
  id: ID,
  kind: "prefix",
  key: "+98912345",
  reason: "unverified",
  level: 1,
  action: "no_sms",
  enforced: true,
  startedAt: AT,
  until: AT + 900 * SECOND,
  clearedAt: null,
  codes: 40,
  verified: 1
}
const alarms: Readonly<Record<GuardEventType, Partial<ShownAlarm>>> = {
  "guard.alarm": {},
  "guard.cleared": { clearedAt: AT }
}

type AlertSample = Pick<AlertSnapshot, "subject" | "counts">
const channelDown: AlertSample = {
  subject: { type: "channel", id: "bale", name: "bale" },
  counts: { codes: 40 }
}
const alerts: Readonly<Record<AlertEventType, AlertSample>> = {
  "alert.channel_down": channelDown,
  "alert.conversion_fell": {
    subject: { type: "channel", id: "bale", name: "bale" },
    counts: { codes: 120, percent: 51, usual_percent: 88 }
  },
  "alert.balance_low": {
    subject: { type: "wallet", id: "wallet", name: null },
    counts: { available: 42_000, sends: 42 }
  },
  "alert.quota_near": {
    subject: { type: "quota", id: "2026-03:80", name: "2026-03" },
    counts: { used: 245, limit: 300 }
  },
  "alert.budget": {
    subject: { type: "budget", id: "2026-03:80", name: "2026-03" },
    counts: { percent: 80, spent: 800_000, limit: 1_000_000 }
  },
  "alert.guard_alarm": {
    subject: { type: "guard", id: "unverified", name: "unverified" },
    counts: { alarms: 1 }
  },
  "alert.webhook_failing": { subject: { type: "webhook", id: "3", name: "orders" }, counts: { minutes: 10 } },
  "alert.webhook_off": { subject: { type: "webhook", id: "3", name: "orders" }, counts: {} },
  "alert.key_expiring": { subject: { type: "key", id: "7:1", name: "backend" }, counts: { hours: 20 } }
}

const alertOf = (type: string, sample: AlertSample): EventSubject => ({
  kind: "alert",
  id: ID,
  alert: { ...sample, kind: alertKindOf(type), held_back: 0 }
})

/** What the sample of each type is about. */
const subjects: ReadonlyMap<string, EventSubject> = new Map<string, EventSubject>([
  ...Object.entries(codes).map(
    ([type, change]) => [type, { kind: "verification", verification: { ...code, ...change } }] as const
  ),
  ...Object.entries(messages).map(
    ([type, change]) => [type, { kind: "message", message: { ...message, ...change } }] as const
  ),
  ...Object.entries(alarms).map(
    ([type, change]) => [type, { kind: "guard", alarm: { ...alarm, ...change } }] as const
  ),
  ...Object.entries(alerts).map(([type, sample]) => [type, alertOf(type, sample)] as const),
  [TEST_EVENT, { kind: "endpoint", id: 5 }] as const
])

/** Where events of a kind begin, an event is the first of its subject. */
const sequenceOf = (type: string): number => (/^alert\.|\.(?:queued|alarm|test)$/.test(type) ? 1 : 2)

const sampleOf = (type: string): string | null => {
  const subject = subjects.get(type)
  if (subject === undefined) return null
  const event: WebhookEvent = {
    type,
    mode: "live",
    occurredAt: AT + SECOND,
    sequence: sequenceOf(type),
    subject
  }
  return webhookPayload(event)
}

export interface CataloguedEvent {
  readonly type: Type
  readonly when: Words
  /** The body that is posted: JSON, by the code that makes those of real events. */
  readonly sample: string
}

/** Every event that Peyk posts, in the order of its list. */
export const eventCatalogue: ReadonlyArray<CataloguedEvent> = [
  ...WebhookEventType.literals,
  TEST_EVENT as typeof TEST_EVENT
].map((type: Type) => ({ type, when: moments[type], sample: sampleOf(type) ?? "" }))

/** The events as the table of the documents. */
export const eventTable = (language: "english" | "persian"): string => {
  const isEnglish = language === "english"
  const rows = eventCatalogue.map(
    ({ type, when: [english, persian] }) => `| \`${type}\` | ${isEnglish ? english : persian} |`
  )
  return [isEnglish ? "| Event | When |" : "| رویداد | زمان آن |", "| --- | --- |", ...rows].join("\n")
}
