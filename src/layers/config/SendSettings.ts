import { Config, Record, Schema } from "effect"
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

type NumberName = {
  [Name in keyof SettingsShape]: SettingsShape[Name] extends number ? Name : never
}[keyof SettingsShape]

/** Whole numbers from 0 on; each has the default of its name. */
const upTo = <Name extends NumberName>(
  maximum: number,
  rows: Readonly<Record<Name, readonly [variable: string, description: string]>>
): Readonly<Record<Name, Setting<number>>> =>
  Record.map(rows, ([variable, description], name) =>
    integer(variable, defaultSettings[name], { minimum: 0, maximum }, description)
  )

/** Limits (0 switches one off), prices, and the rates of accounts. */
export const limitSettings = {
  ...upTo(1_000_000_000, {
    keyMinuteLimit: ["PEYK_LIMIT_KEY_MINUTE", "Requests per service key and minute."],
    manageMinuteLimit: ["PEYK_LIMIT_MANAGE_MINUTE", "Management requests per token or session and minute."],
    phoneHourLimit: ["PEYK_LIMIT_PHONE_HOUR", "Codes per customer, phone and hour."],
    phoneDayLimit: ["PEYK_LIMIT_PHONE_DAY", "Codes per customer, phone and day."],
    platformPhoneDayLimit: ["PEYK_LIMIT_PLATFORM_PHONE_DAY", "Codes of all customers per phone and day."],
    callPhoneHourLimit: ["PEYK_LIMIT_CALL_PHONE_HOUR", "Calls of all customers per phone and hour."],
    messagePhoneHourLimit: ["PEYK_LIMIT_MESSAGE_PHONE_HOUR", "Messages per customer, phone and hour."],
    messagePhoneDayLimit: ["PEYK_LIMIT_MESSAGE_PHONE_DAY", "Messages per customer, phone and day."],
    freeMonthlyQuota: [
      "PEYK_FREE_MONTHLY_QUOTA",
      "Accepted requests of a free customer per calendar month (UTC)."
    ],
    priceEitaa: ["PEYK_PRICE_EITAA", "Price of a successful send over eitaa, in rials."],
    priceBale: ["PEYK_PRICE_BALE", "Price of a successful send over bale, in rials."],
    priceSoroushplus: ["PEYK_PRICE_SOROUSHPLUS", "Price of a successful send over soroushplus, in rials."],
    priceRubika: ["PEYK_PRICE_RUBIKA", "Price of a successful send over rubika, in rials."],
    priceTelegram: ["PEYK_PRICE_TELEGRAM", "Price of a successful send over telegram, in rials."],
    priceVoice: [
      "PEYK_PRICE_VOICE",
      "Price of a successful call over an account of the platform's, in rials."
    ]
  }),
  ...upTo(DAY_MILLIS, {
    accountGapMillis: ["PEYK_ACCOUNT_GAP_MS", "Shortest time between two sends of one account."]
  }),
  ...upTo(100_000, {
    accountRateEitaa: ["PEYK_ACCOUNT_RATE_EITAA", "Sends of one eitaa account per minute."],
    accountRateBale: ["PEYK_ACCOUNT_RATE_BALE", "Sends of one bale account per minute."],
    accountRateSoroushplus: ["PEYK_ACCOUNT_RATE_SOROUSHPLUS", "Sends of one soroushplus account per minute."],
    accountRateRubika: ["PEYK_ACCOUNT_RATE_RUBIKA", "Sends of one rubika account per minute."],
    accountRateTelegram: ["PEYK_ACCOUNT_RATE_TELEGRAM", "Sends of one telegram account per minute."],
    accountRateSms: ["PEYK_ACCOUNT_RATE_SMS", "Sends of one sms account per minute."],
    accountRateVoice: ["PEYK_ACCOUNT_RATE_VOICE", "Sends of one voice account per minute."]
  }),
  ...upTo(DAY_MILLIS, {
    slotWaitMillis: [
      "PEYK_SLOT_WAIT_MS",
      "How long a send waits for its account's gap before a later channel goes first."
    ],
    slotHorizonMillis: [
      "PEYK_SLOT_HORIZON_MS",
      "How far ahead a code waits for an account before the step is skipped."
    ]
  }),
  cooldownFailures: integer(
    "PEYK_COOLDOWN_FAILURES",
    defaultSettings.cooldownFailures,
    { minimum: 1, maximum: 1000 },
    "Failures in a row, of account or provider, that start a cooldown."
  ),
  ...upTo(DAY_MILLIS, {
    cooldownMillis: ["PEYK_COOLDOWN_MS", "An account's first cooldown; each further one is twice as long."],
    cooldownMaxMillis: ["PEYK_COOLDOWN_MAX_MS", "An account's longest cooldown."]
  })
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
