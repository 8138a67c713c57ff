import { Schema } from "effect"
import type { Channel } from "../routing/Channel.ts"

/**
 * Money is whole rials. A send holds the most it can still cost and captures what it came to cost; what it can cost
 * grows less with every route that is out of question, and what is held with it.
 */
export const Charge = Schema.Struct({
  /** Of the wallet's balance, not to be spent otherwise. */
  held: Schema.Int,
  captured: Schema.Int
})
export type Charge = typeof Charge.Type

/** Prices of a successful send by channel, in rials; sms has none: its provider charges the customer. */
export type Prices = Readonly<Partial<Record<Channel, number>>>

/** The route with what each of its steps costs now; later changes of prices do not concern it. */
export const withPrices = <Step extends { readonly channel: Channel }>(
  [first, ...rest]: readonly [Step, ...ReadonlyArray<Step>],
  prices: Prices
) => {
  const priced = (step: Step) => {
    const price = prices[step.channel] ?? 0
    return price === 0 ? step : { ...step, price }
  }
  return [priced(first), ...rest.map(priced)] as const
}

/** A step of a route with its price for a successful send; absent: none. */
export interface PricedStep {
  readonly price?: number | undefined
}

const priceOf = ({ price = 0 }: PricedStep): number => price

const dearest = (steps: ReadonlyArray<PricedStep>): number => Math.max(0, ...steps.map(priceOf))

/** One success is charged, however many there are: the dearest. So no more is ever captured than was held. */
export const chargeInOrder = (
  succeeded: ReadonlyArray<PricedStep>,
  stillPossible: ReadonlyArray<PricedStep>
): Charge => {
  const captured = dearest(succeeded)
  return { captured, held: Math.max(0, dearest(stillPossible) - captured) }
}

export const sumOfCharges = (charges: ReadonlyArray<Charge>): Charge => ({
  held: charges.reduce((sum, { held }) => sum + held, 0),
  captured: charges.reduce((sum, { captured }) => sum + captured, 0)
})

/** What happens to the wallet when a charge becomes another one. */
export interface WalletMove {
  readonly capture: number
  /** Of what was held, beyond what is captured. */
  readonly release: number
}

export const walletMove = (before: Charge, after: Charge): WalletMove => {
  const capture = after.captured - before.captured
  return { capture, release: before.held - after.held - capture }
}

/** A wallet is kept in parts, so that a customer's sends in parallel do not wait for one row. */
export const WALLET_STRIPES = 16

/** The part that a send's money is held in: ids end in a digit of its number. */
export const stripeOf = (id: string): number => Number.parseInt(id.slice(-1), 16) % WALLET_STRIPES

/** The id of a send whose money is held in this part. */
export const inStripe = (id: string, stripe: number): string => id.slice(0, -1) + stripe.toString(16)
