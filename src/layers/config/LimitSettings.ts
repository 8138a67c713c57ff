import { DAY_MILLIS } from "../../domain/Instant.ts"
import { defaultSettings, type SettingsShape } from "../../services/Settings.ts"
import { integer } from "./Setting.ts"

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
