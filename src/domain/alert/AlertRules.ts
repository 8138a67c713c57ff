import { DAY_MILLIS, HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"
import type { Tally } from "../guard/Conversion.ts"
import type { DisabledReason } from "../Webhook.ts"
import type { AlertCondition } from "./Alert.ts"

/** When figures mean that somebody should know: pure rules over what is read anyway. */

/** The used share of a quota from which on it needs attention. */
const QUOTA_NEAR = 0.8
/** A wallet needs attention if it has money for fewer sends, at the highest price. */
const SENDS_LEFT = 100

interface Money {
  readonly wallet: { readonly balance: number; readonly held: number } | null
  readonly quota: { readonly limit: number; readonly used: number } | null
  /** Rials for a send, by channel. */
  readonly prices: Readonly<Record<string, number>>
}

/** Money for so few sends that somebody should top up; null: there is enough. */
export const lowWallet = ({
  wallet,
  prices
}: Money): { readonly available: number; readonly sends: number; readonly isEmpty: boolean } | null => {
  const price = Math.max(0, ...Object.values(prices))
  if (wallet === null || price === 0) return null
  const available = wallet.balance - wallet.held
  if (available >= price * SENDS_LEFT) return null
  return { available, sends: Math.max(0, Math.floor(available / price)), isEmpty: available < price }
}

export const isQuotaNear = ({ quota }: Pick<Money, "quota">): boolean =>
  quota !== null && quota.used >= quota.limit * QUOTA_NEAR

/** @param month the quota's month, which its alerts are about */
export const moneyConditions = (money: Money, month: string): ReadonlyArray<AlertCondition> => {
  const low = lowWallet(money)
  const { quota } = money
  const isUsedUp = quota !== null && quota.used >= quota.limit
  return [
    ...(low === null
      ? []
      : [
          {
            kind: "balance_low" as const,
            subject: { type: "wallet" as const, id: "wallet", name: null },
            counts: { available: low.available, sends: low.sends }
          }
        ]),
    ...(quota === null || !isQuotaNear(money)
      ? []
      : [
          {
            kind: "quota_near" as const,
            subject: {
              type: "quota" as const,
              id: `${month}:${isUsedUp ? 100 : QUOTA_NEAR * 100}`,
              name: month
            },
            counts: { used: quota.used, limit: quota.limit }
          }
        ])
  ]
}

/** An account whose credit lasts for less than this needs money. */
const CREDIT_DAYS = 2
/** With less history, nobody knows how fast it is spent. */
const MIN_HISTORY_MILLIS = DAY_MILLIS

interface CreditSample {
  readonly at: Instant
  readonly credit: number
}

/** For how many days the credit lasts, if it is spent as in the samples, oldest first; null: nobody can tell. */
export const creditDays = (samples: ReadonlyArray<CreditSample>): number | null => {
  const [first] = samples
  const last = samples.at(-1)
  if (first === undefined || last === undefined) return null
  if (last.credit <= 0) return 0
  const span = last.at - first.at
  if (span < MIN_HISTORY_MILLIS) return null
  // Top-ups in between are no spending.
  const spent = samples.reduce(
    (sum, { credit }, index) => sum + Math.max(0, (samples[index - 1]?.credit ?? credit) - credit),
    0
  )
  return spent === 0 ? null : (last.credit * span) / (spent * DAY_MILLIS)
}

export interface AccountCredit {
  readonly id: number
  readonly label: string
  readonly samples: ReadonlyArray<CreditSample>
}

export const creditConditions = (accounts: ReadonlyArray<AccountCredit>): ReadonlyArray<AlertCondition> =>
  accounts.flatMap(({ id, label, samples }) => {
    const days = creditDays(samples)
    return days === null || days >= CREDIT_DAYS
      ? []
      : [
          {
            kind: "balance_low" as const,
            subject: { type: "account" as const, id: String(id), name: label },
            counts: { credit: samples.at(-1)?.credit ?? 0 }
          }
        ]
  })

/** A single try that fails says little. */
const FAILING_MILLIS = 10 * MINUTE_MILLIS

export interface WatchedWebhook {
  readonly id: number
  readonly name: string
  readonly disabledReason: DisabledReason | null
  readonly failingSince: Instant | null
}

export const webhookConditions = (
  webhooks: ReadonlyArray<WatchedWebhook>,
  now: Instant
): ReadonlyArray<AlertCondition> =>
  webhooks.flatMap(({ id, name, disabledReason, failingSince }): ReadonlyArray<AlertCondition> => {
    const subject = { type: "webhook" as const, id: String(id), name }
    if (disabledReason !== null)
      return disabledReason === "manual" ? [] : [{ kind: "webhook_off", subject, counts: {} }]
    return failingSince === null || now - failingSince < FAILING_MILLIS
      ? []
      : [
          {
            kind: "webhook_failing",
            subject,
            counts: { minutes: Math.floor((now - failingSince) / MINUTE_MILLIS) }
          }
        ]
  })

/** How many days before its end somebody hears of it: the last one is heard of again. */
const EXPIRY_DAYS = [1, 7]
export const LONGEST_EXPIRY_MILLIS = 7 * DAY_MILLIS

export interface ExpiringSecret {
  readonly type: "key" | "token"
  readonly id: number
  readonly name: string
  readonly expiresAt: Instant
}

export const expiryConditions = (
  secrets: ReadonlyArray<ExpiringSecret>,
  now: Instant
): ReadonlyArray<AlertCondition> =>
  secrets.flatMap(({ type, id, name, expiresAt }) => {
    const left = expiresAt - now
    const days = EXPIRY_DAYS.find((each) => left <= each * DAY_MILLIS)
    return left <= 0 || days === undefined
      ? []
      : [
          {
            kind: "key_expiring" as const,
            subject: { type, id: `${id}:${days}`, name },
            counts: { hours: Math.ceil(left / HOUR_MILLIS) }
          }
        ]
  })

/** Fewer codes are chance. */
const MIN_RECENT = 50
const MIN_USUAL = 200
/** A fall that people would call one, and that is not chance. */
const LEAST_FALL = 0.15
const LEAST_Z = 4

/** Whether fewer codes are verified than usual. */
export const hasFallen = ([codes, verified]: Tally, [usualCodes, usualVerified]: Tally): boolean => {
  if (codes < MIN_RECENT || usualCodes < MIN_USUAL) return false
  const fall = usualVerified / usualCodes - verified / codes
  if (fall < LEAST_FALL) return false
  const all = (verified + usualVerified) / (codes + usualCodes)
  const deviation = Math.sqrt(all * (1 - all) * (1 / codes + 1 / usualCodes))
  return deviation === 0 || fall / deviation >= LEAST_Z
}

const percentOf = ([codes, verified]: Tally): number => Math.round((100 * verified) / Math.max(1, codes))

/** Codes as a whole, or those that try this channel first. */
export interface Conversions {
  readonly channel: string | null
  readonly recent: Tally
  readonly usual: Tally
}

export const conversionCondition = ({ channel, recent, usual }: Conversions): AlertCondition => ({
  kind: "conversion_fell",
  subject:
    channel === null
      ? { type: "customer", id: "all", name: null }
      : { type: "channel", id: channel, name: channel },
  counts: { codes: recent[0], percent: percentOf(recent), usual_percent: percentOf(usual) }
})

/** An alarm floods nobody: all of a reason are one subject. */
export const guardConditions = (
  alarms: ReadonlyArray<{ readonly reason: string }>
): ReadonlyArray<AlertCondition> =>
  [...Map.groupBy(alarms, ({ reason }) => reason)].map(([reason, open]) => ({
    kind: "guard_alarm",
    subject: { type: "guard", id: reason, name: reason },
    counts: { alarms: open.length }
  }))
