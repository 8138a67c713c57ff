import { Context } from "effect"
import { DAY_MILLIS, MINUTE_MILLIS } from "../domain/Instant.ts"

/** The numbers that an operator can change. */
export interface SettingsShape {
  /** Digits of a code, 4–10. */
  readonly codeLength: number
  /** Wrong codes before a verification locks, 1–10. */
  readonly maxWrongCodes: number
  readonly providerTimeoutMillis: number
  /** Other processes take over a leased step so long after its process stopped renewing it. */
  readonly leaseMillis: number
  readonly idempotencyMillis: number
  /** How long a due message waits for an account that can send. */
  readonly messagePatienceMillis: number
  /** How long a stopping process waits for its unfinished work. */
  readonly graceMillis: number
  /** Timers a process works on at once. */
  readonly timerConcurrency: number
  /** Calls of one customer to one provider's host at once; all customers get twice as many. */
  readonly codeConnections: number
  readonly messageConnections: number
  /** Limits; 0 switches one off. */
  readonly phoneHourLimit: number
  readonly phoneDayLimit: number
  readonly platformPhoneDayLimit: number
  readonly keyMinuteLimit: number
  readonly manageMinuteLimit: number
  readonly messagePhoneHourLimit: number
  readonly messagePhoneDayLimit: number
  readonly freeMonthlyQuota: number
  /** Prices of a successful send, in rials. */
  readonly priceEitaa: number
  readonly priceBale: number
  readonly priceSoroushplus: number
  readonly priceRubika: number
  readonly priceTelegram: number
  /** The shortest time between two sends of an account. */
  readonly accountGapMillis: number
  /** Sends of an account in any minute; 0: no limit. */
  readonly accountRateEitaa: number
  readonly accountRateBale: number
  readonly accountRateSoroushplus: number
  readonly accountRateRubika: number
  readonly accountRateTelegram: number
  readonly accountRateSms: number
  /** A send waits this long for an account's slot. If the slot is later, another channel goes first. */
  readonly slotWaitMillis: number
  /** A code waits in the background for a slot at most this far away. */
  readonly slotHorizonMillis: number
  /** So many failures in a row start a cooldown of the account. */
  readonly cooldownFailures: number
  /** The first cooldown; each further one is twice as long, up to the longest. */
  readonly cooldownMillis: number
  readonly cooldownMaxMillis: number
  /** How many days phones and texts, records, events and the audit log are kept; 0: forever. */
  readonly retentionPhonesDays: number
  readonly retentionRecordsDays: number
  readonly retentionEventsDays: number
  readonly retentionAuditDays: number
  /** How many days the request log is kept; 0: there is none. */
  readonly requestLogDays: number
}

export const defaultSettings: SettingsShape = {
  codeLength: 6,
  maxWrongCodes: 5,
  providerTimeoutMillis: 10_000,
  leaseMillis: 30_000,
  idempotencyMillis: DAY_MILLIS,
  messagePatienceMillis: 15 * MINUTE_MILLIS,
  graceMillis: 15_000,
  timerConcurrency: 256,
  codeConnections: 128,
  messageConnections: 64,
  phoneHourLimit: 5,
  phoneDayLimit: 10,
  platformPhoneDayLimit: 50,
  keyMinuteLimit: 300,
  manageMinuteLimit: 600,
  messagePhoneHourLimit: 30,
  messagePhoneDayLimit: 100,
  freeMonthlyQuota: 300,
  priceEitaa: 1000,
  priceBale: 1000,
  priceSoroushplus: 1000,
  priceRubika: 1000,
  priceTelegram: 1000,
  accountGapMillis: 1000,
  accountRateEitaa: 30,
  accountRateBale: 30,
  accountRateSoroushplus: 20,
  accountRateRubika: 20,
  accountRateTelegram: 20,
  accountRateSms: 0,
  slotWaitMillis: 5000,
  slotHorizonMillis: 30_000,
  cooldownFailures: 5,
  cooldownMillis: MINUTE_MILLIS,
  cooldownMaxMillis: 15 * MINUTE_MILLIS,
  retentionPhonesDays: 90,
  retentionRecordsDays: 400,
  retentionEventsDays: 30,
  retentionAuditDays: 0,
  requestLogDays: 3
}

export const Settings = Context.Reference<SettingsShape>("peyk/services/Settings", {
  defaultValue: () => defaultSettings
})
