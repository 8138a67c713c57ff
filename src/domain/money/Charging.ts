import { Schema } from "effect"
import type { Channel } from "../routing/Channel.ts"

/**
 * Money is whole rials. A send holds the most that it can still cost, and captures its actual cost. Each route that is
 * no longer possible reduces what it can cost, and releases that part of the hold.
 */
export const Charge = Schema.Struct({
  /** The part of the wallet's balance that no other send can use. */
  held: Schema.Int,
  captured: Schema.Int
})
export type Charge = typeof Charge.Type

/**
 * Prices of a successful send by channel, in rials; sms has none: its provider charges the customer. That of voice is for
 * accounts of the platform's.
 */
export type Prices = Readonly<Partial<Record<Channel, number>>>

/** Prices of a successful send, in rials, unless the operator sets others. */
export const defaultPrices = {
  priceEitaa: 1000,
  priceBale: 1000,
  priceSoroushplus: 1000,
  priceRubika: 1000,
  priceTelegram: 1000,
  priceVoice: 1000
}

/** A call over the customer's own account is charged by its provider. */
const isChargedByProvider = ({ channel, descriptor }: SendingStep): boolean =>
  channel === "voice" && descriptor.credential_id !== null

interface SendingStep {
  readonly channel: Channel
  /** Its `credential_id` is null for an account of the platform's. */
  readonly descriptor: { readonly credential_id: number | null }
}

/** The route with the current price of each step; later changes of prices do not affect it. */
export const withPrices = <Step extends SendingStep>(
  [first, ...rest]: readonly [Step, ...ReadonlyArray<Step>],
  prices: Prices
) => {
  const priced = (step: Step) => {
    const price = isChargedByProvider(step) ? 0 : (prices[step.channel] ?? 0)
    return price === 0 ? step : { ...step, price }
  }
  return [priced(first), ...rest.map(priced)] as const
}

/** A step of a route with its price for a successful send; absent: none. */
interface PricedStep {
  readonly price?: number | undefined
}

const dearest = (steps: ReadonlyArray<PricedStep>): number =>
  steps.reduce((most, { price = 0 }) => Math.max(most, price), 0)

/**
 * The cost of a send so far, and its hold. Only one success is charged: the most expensive. So captures never exceed
 * holds. The hold is released with the last step that is still possible; a send that ends earlier is `withoutHold`.
 * What is recorded after the end, such as a call that was under way, costs nothing.
 */
export const chargeInOrder = (
  succeeded: ReadonlyArray<PricedStep>,
  stillPossible: ReadonlyArray<PricedStep>
): Charge => {
  const captured = dearest(succeeded)
  return { captured, held: Math.max(0, dearest(stillPossible) - captured) }
}

/** A send that has ended: nothing more is tried, so its hold is released. What it captured stays. */
export const withoutHold = <Send extends Charge>(send: Send): Send => ({ ...send, held: 0 })

export const sumOfCharges = (charges: ReadonlyArray<Charge>): Charge => ({
  held: charges.reduce((sum, { held }) => sum + held, 0),
  captured: charges.reduce((sum, { captured }) => sum + captured, 0)
})

/** How the wallet changes when one charge replaces another. */
export interface WalletMove {
  readonly capture: number
  /** The part of the hold that is not captured. */
  readonly release: number
}

export const walletMove = (before: Charge, after: Charge): WalletMove => {
  const capture = after.captured - before.captured
  return { capture, release: before.held - after.held - capture }
}

/** A send as far as its charges go. */
interface ChargedSend {
  readonly route: ReadonlyArray<{ readonly channel: Channel }>
  readonly attempts: ReadonlyArray<{ readonly step: number; readonly status: string }>
}

/** The channel that succeeded between two states of a send: what is captured with the second is for it. */
export const chargedChannel = (before: ChargedSend, after: ChargedSend): Channel | null => {
  const succeeded = after.attempts.findLast(
    ({ step, status }) =>
      status === "sent" &&
      !before.attempts.some((earlier) => earlier.step === step && earlier.status === "sent")
  )
  return succeeded === undefined ? null : (after.route[succeeded.step]?.channel ?? null)
}

/** A wallet has several parts, so that a customer's parallel sends do not wait for one row. */
export const WALLET_STRIPES = 16

/** The part that holds a send's money: the last digit of the id selects it. */
export const stripeOf = (id: string): number => Number.parseInt(id.slice(-1), 16) % WALLET_STRIPES

/** The id of a send whose money this part holds. */
export const inStripe = (id: string, stripe: number): string => id.slice(0, -1) + stripe.toString(16)

/** One part of a wallet. */
export interface WalletStripe {
  readonly stripe: number
  readonly balance: number
  readonly held: number
}

/**
 * The wallet's parts after they hold these amounts, by part. The available balance is spread again if a part does not
 * cover its amount. The whole wallet must cover all of them.
 */
export const holdInStripes = (
  stripes: ReadonlyArray<WalletStripe>,
  amounts: ReadonlyMap<number, number>
): ReadonlyArray<WalletStripe> => {
  const holding = stripes.map((part) => ({ ...part, held: part.held + (amounts.get(part.stripe) ?? 0) }))
  if (holding.every(({ balance, held }) => balance >= held)) return holding
  const free = holding.reduce((sum, { balance, held }) => sum + balance - held, 0)
  const share = Math.floor(free / holding.length)
  const rest = free - share * holding.length
  return holding.map((part, nth) => ({ ...part, balance: part.held + share + (nth < rest ? 1 : 0) }))
}
