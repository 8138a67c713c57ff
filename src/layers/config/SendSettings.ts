import { Config, Schema } from "effect"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { MAX_REQUEST_LOG_DAYS, MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from "../../domain/Retention.ts"
import { type CallHours, parseCallHours } from "../../domain/verification/PhoneCalls.ts"
import { integer, IntegerText, type Setting, text } from "./Setting.ts"
import { defaultSettings, type SettingsShape } from "../../services/Settings.ts"

const connections = (name: "codeConnections" | "messageConnections", variable: string, what: string) =>
  integer(
    variable,
    defaultSettings[name],
    { minimum: 1, maximum: 10_000 },
    `Connections to a provider's host for ${what}, per customer and process.`
  )

const Hours = Schema.String.check(
  Schema.makeFilter(
    (text) => parseCallHours(text) !== null || "two times of a day are expected, such as 08:00-22:00"
  )
)

const callHours: Setting<CallHours> = {
  name: "PEYK_VOICE_HOURS",
  byDefault: "08:00-22:00",
  description:
    "When routes may call, in Tehran; `00:00-24:00`: always. Outside, only `next` calls, once a night.",
  config: Config.withDefault(
    Config.map(
      Config.schema(Hours, "PEYK_VOICE_HOURS"),
      (text) => parseCallHours(text) ?? defaultSettings.callHours
    ),
    defaultSettings.callHours
  )
}

/** How codes and messages are sent. */
export const sendSettings = {
  guard: {
    name: "PEYK_GUARD",
    byDefault: "enforcing",
    description: "The strictest guard mode that customers can choose: off, record or enforcing.",
    config: Config.withDefault(
      Config.Literals(["off", "record", "enforcing"], "PEYK_GUARD"),
      "enforcing" as const
    )
  },
  callHours,
  networkNames: text(
    "PEYK_NETWORK_NAMES",
    "",
    "A file that names networks, for the guard's alarms: a network and its name a line."
  ),
  codeLength: integer(
    "PEYK_CODE_LENGTH",
    defaultSettings.codeLength,
    { minimum: 4, maximum: 10 },
    "Digits of a code."
  ),
  maxWrongCodes: integer(
    "PEYK_MAX_WRONG_CODES",
    defaultSettings.maxWrongCodes,
    { minimum: 1, maximum: 10 },
    "Wrong codes before a verification is locked."
  ),
  providerTimeoutMillis: integer(
    "PEYK_PROVIDER_TIMEOUT_MS",
    defaultSettings.providerTimeoutMillis,
    { minimum: 100, maximum: 120_000 },
    "Time-out for a provider; after it the outcome is unknown."
  ),
  leaseMillis: integer(
    "PEYK_LEASE_MS",
    defaultSettings.leaseMillis,
    { minimum: 300, maximum: 600_000 },
    "How soon others continue the work of a dead process."
  ),
  idempotencyMillis: integer(
    "PEYK_IDEMPOTENCY_MS",
    defaultSettings.idempotencyMillis,
    { minimum: MINUTE_MILLIS, maximum: 30 * DAY_MILLIS },
    "How long Peyk remembers an idempotency key."
  ),
  messagePatienceMillis: integer(
    "PEYK_MESSAGE_PATIENCE_MS",
    defaultSettings.messagePatienceMillis,
    { minimum: 0, maximum: DAY_MILLIS },
    "How long a due message waits for an account that can send."
  ),
  graceMillis: integer(
    "PEYK_GRACE_MS",
    defaultSettings.graceMillis,
    { minimum: 0, maximum: 600_000 },
    "How long a stopping process waits for its unfinished work."
  ),
  timerConcurrency: integer(
    "PEYK_TIMER_CONCURRENCY",
    defaultSettings.timerConcurrency,
    { minimum: 1, maximum: 10_000 },
    "Due codes, and due messages, per customer and process at once."
  ),
  codeConnections: connections("codeConnections", "PEYK_CODE_CONNECTIONS", "codes"),
  messageConnections: connections("messageConnections", "PEYK_MESSAGE_CONNECTIONS", "messages")
} as const

type LimitName = Extract<keyof SettingsShape, `${string}Limit` | "freeMonthlyQuota">
type RateName = Extract<keyof SettingsShape, `accountRate${string}`>
type MillisName = Extract<
  keyof SettingsShape,
  `${"account" | "slot" | "cooldown"}${string}Millis` | "cooldownMillis"
>
type PriceName = Extract<keyof SettingsShape, `price${string}`>

const limit = (name: LimitName, variable: string, description: string) =>
  integer(variable, defaultSettings[name], { minimum: 0, maximum: 1_000_000_000 }, description)

const price = (name: PriceName, variable: string, channel: string) =>
  integer(
    variable,
    defaultSettings[name],
    { minimum: 0, maximum: 1_000_000_000 },
    `Price of a successful send over ${channel}, in rials.`
  )

const rate = (name: RateName, variable: string, channel: string) =>
  integer(
    variable,
    defaultSettings[name],
    { minimum: 0, maximum: 100_000 },
    `Sends of one ${channel} account per minute.`
  )

const millis = (name: MillisName, variable: string, description: string) =>
  integer(variable, defaultSettings[name], { minimum: 0, maximum: DAY_MILLIS }, description)

/** Limits (0 switches one off), prices, and the rates of accounts. */
export const limitSettings = {
  keyMinuteLimit: limit("keyMinuteLimit", "PEYK_LIMIT_KEY_MINUTE", "Requests per service key and minute."),
  manageMinuteLimit: limit(
    "manageMinuteLimit",
    "PEYK_LIMIT_MANAGE_MINUTE",
    "Management requests per token or session and minute."
  ),
  phoneHourLimit: limit("phoneHourLimit", "PEYK_LIMIT_PHONE_HOUR", "Codes per customer, phone and hour."),
  phoneDayLimit: limit("phoneDayLimit", "PEYK_LIMIT_PHONE_DAY", "Codes per customer, phone and day."),
  platformPhoneDayLimit: limit(
    "platformPhoneDayLimit",
    "PEYK_LIMIT_PLATFORM_PHONE_DAY",
    "Codes of all customers per phone and day."
  ),
  callPhoneHourLimit: limit(
    "callPhoneHourLimit",
    "PEYK_LIMIT_CALL_PHONE_HOUR",
    "Calls of all customers per phone and hour."
  ),
  messagePhoneHourLimit: limit(
    "messagePhoneHourLimit",
    "PEYK_LIMIT_MESSAGE_PHONE_HOUR",
    "Messages per customer, phone and hour."
  ),
  messagePhoneDayLimit: limit(
    "messagePhoneDayLimit",
    "PEYK_LIMIT_MESSAGE_PHONE_DAY",
    "Messages per customer, phone and day."
  ),
  freeMonthlyQuota: limit(
    "freeMonthlyQuota",
    "PEYK_FREE_MONTHLY_QUOTA",
    "Accepted requests of a free customer per calendar month (UTC)."
  ),
  priceEitaa: price("priceEitaa", "PEYK_PRICE_EITAA", "eitaa"),
  priceBale: price("priceBale", "PEYK_PRICE_BALE", "bale"),
  priceSoroushplus: price("priceSoroushplus", "PEYK_PRICE_SOROUSHPLUS", "soroushplus"),
  priceRubika: price("priceRubika", "PEYK_PRICE_RUBIKA", "rubika"),
  priceTelegram: price("priceTelegram", "PEYK_PRICE_TELEGRAM", "telegram"),
  priceVoice: integer(
    "PEYK_PRICE_VOICE",
    defaultSettings.priceVoice,
    { minimum: 0, maximum: 1_000_000_000 },
    "Price of a successful call over an account of the platform's, in rials."
  ),
  accountGapMillis: millis(
    "accountGapMillis",
    "PEYK_ACCOUNT_GAP_MS",
    "Shortest time between two sends of one account."
  ),
  accountRateEitaa: rate("accountRateEitaa", "PEYK_ACCOUNT_RATE_EITAA", "eitaa"),
  accountRateBale: rate("accountRateBale", "PEYK_ACCOUNT_RATE_BALE", "bale"),
  accountRateSoroushplus: rate("accountRateSoroushplus", "PEYK_ACCOUNT_RATE_SOROUSHPLUS", "soroushplus"),
  accountRateRubika: rate("accountRateRubika", "PEYK_ACCOUNT_RATE_RUBIKA", "rubika"),
  accountRateTelegram: rate("accountRateTelegram", "PEYK_ACCOUNT_RATE_TELEGRAM", "telegram"),
  accountRateSms: rate("accountRateSms", "PEYK_ACCOUNT_RATE_SMS", "sms"),
  accountRateVoice: rate("accountRateVoice", "PEYK_ACCOUNT_RATE_VOICE", "voice"),
  slotWaitMillis: millis(
    "slotWaitMillis",
    "PEYK_SLOT_WAIT_MS",
    "How long a send waits for its account's gap before a later channel goes first."
  ),
  slotHorizonMillis: millis(
    "slotHorizonMillis",
    "PEYK_SLOT_HORIZON_MS",
    "How far ahead a code waits for an account before the step is skipped."
  ),
  cooldownFailures: integer(
    "PEYK_COOLDOWN_FAILURES",
    defaultSettings.cooldownFailures,
    { minimum: 1, maximum: 1000 },
    "Failures in a row, of account or provider, that start a cooldown."
  ),
  cooldownMillis: millis(
    "cooldownMillis",
    "PEYK_COOLDOWN_MS",
    "An account's first cooldown; each further one is twice as long."
  ),
  cooldownMaxMillis: millis("cooldownMaxMillis", "PEYK_COOLDOWN_MAX_MS", "An account's longest cooldown.")
} as const

const Days = IntegerText.check(
  Schema.makeFilter(
    (days) =>
      days === 0 ||
      (days >= MIN_RETENTION_DAYS && days <= MAX_RETENTION_DAYS) ||
      `0, or from ${MIN_RETENTION_DAYS} to ${MAX_RETENTION_DAYS} days are expected`
  )
)

const days = (
  name: Extract<keyof SettingsShape, `retention${string}Days`>,
  variable: string,
  description: string
): Setting<number> => ({
  name: variable,
  byDefault: String(defaultSettings[name]),
  description,
  config: Config.withDefault(Config.schema(Days, variable), defaultSettings[name])
})

/** How long data is kept. */
export const retentionSettings = {
  retentionPhonesDays: days(
    "retentionPhonesDays",
    "PEYK_RETENTION_PHONES_DAYS",
    "Erase phones and texts of finished records after this. 0: never, else ≥ 7."
  ),
  retentionRecordsDays: days(
    "retentionRecordsDays",
    "PEYK_RETENTION_RECORDS_DAYS",
    "Delete finished records after this. 0: never, else ≥ 7."
  ),
  retentionEventsDays: days(
    "retentionEventsDays",
    "PEYK_RETENTION_EVENTS_DAYS",
    "Delete events and their deliveries after this. 0: never, else ≥ 7."
  ),
  retentionAuditDays: days(
    "retentionAuditDays",
    "PEYK_RETENTION_AUDIT_DAYS",
    "Delete entries of the audit log after this. 0: never, else ≥ 7."
  ),
  requestLogDays: integer(
    "PEYK_REQUEST_LOG_DAYS",
    defaultSettings.requestLogDays,
    { minimum: 0, maximum: MAX_REQUEST_LOG_DAYS },
    "Keep the log of requests (not their bodies) for so many days. 0: no log."
  )
} as const
