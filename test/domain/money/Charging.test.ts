import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import {
  type Charge,
  stripeOf,
  WALLET_STRIPES,
  walletMove,
  withPrices
} from "../../../src/domain/money/Charging.ts"
import { chargeMessage } from "../../../src/domain/message/MessageLanes.ts"
import * as MessageExamples from "../message/MessageExamples.ts"
import * as MessageRuns from "../message/MessageRuns.ts"
import * as VerificationRuns from "../verification/VerificationRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const Price = Schema.Literals([0, 1, 500, 700, 1000, 1_000_000])
const prices = Arbitrary.schema(
  Schema.Struct({ bale: Price, eitaa: Price, rubika: Price, soroushplus: Price, telegram: Price })
)
const runs = { arbitrary: { runs: propertyRuns(500) } }

/** A wallet that covers the first charge, moved along the others; it is never overdrawn, and nothing is lost. */
const settles = (charges: ReadonlyArray<Charge>, isComplete: boolean) => {
  const [first] = charges
  if (first === undefined) return
  let wallet = { balance: first.held, held: first.held }
  let before = first
  for (const after of charges) {
    const { capture, release } = walletMove(before, after)
    assert.isAtLeast(capture, 0)
    assert.isAtLeast(release, 0)
    wallet = { balance: wallet.balance - capture, held: wallet.held - capture - release }
    assert.isAtLeast(wallet.held, 0)
    assert.isAtLeast(wallet.balance, wallet.held)
    assert.strictEqual(wallet.held, after.held)
    assert.strictEqual(wallet.balance, first.held - after.captured)
    before = after
  }
  if (isComplete) assert.strictEqual(wallet.held, 0)
}

describe("what a send costs", () => {
  it.prop(
    "is, for a code, never more than was held, and nothing stays held when it is over",
    [VerificationRuns.route, VerificationRuns.happenings, prices],
    ([route, list, given]) => {
      const entries = VerificationRuns.live(withPrices(route, given), list)
      const charges = entries.flatMap(({ before, transition, after }) =>
        transition === null || VerificationRuns.isOver(before) ? [] : [before, after]
      )
      const last = charges.at(-1)
      settles(charges, last !== undefined && "status" in last && VerificationRuns.isOver(last))
    },
    runs
  )

  it.prop(
    "is, for a code, the price of its dearest messenger that accepted it",
    [VerificationRuns.route, VerificationRuns.happenings, prices],
    ([route, list, given]) => {
      const priced = withPrices(route, given)
      for (const { before, after } of VerificationRuns.live(priced, list)) {
        if (VerificationRuns.isOver(before)) continue
        const sent = after.attempts.flatMap(({ status, step }) =>
          status === "sent" ? (priced[step]?.price ?? 0) : []
        )
        assert.strictEqual(after.captured, Math.max(0, ...sent))
      }
    },
    runs
  )

  it.prop(
    "is, for a message, never more than was held, and nothing stays held when it is complete",
    [MessageRuns.setting, MessageRuns.happenings, prices],
    ([setting, list, given]) => {
      const message = MessageExamples.created(setting)
      const start = chargeMessage({ ...message, route: withPrices(message.route, given) })
      const entries = MessageRuns.live(setting, list, start)
      const charges = [start, ...entries.map(({ after }) => after)]
      const last = charges.at(-1) ?? start
      settles(charges, MessageRuns.isOver(last))
    },
    runs
  )

  it.prop(
    "is, for a message, the price of each route that sent it",
    [MessageRuns.setting, MessageRuns.happenings, prices],
    ([setting, list, given]) => {
      const message = MessageExamples.created(setting)
      const start = chargeMessage({ ...message, route: withPrices(message.route, given) })
      for (const { after } of MessageRuns.live(setting, list, start)) {
        const sent = after.attempts.filter(({ status }) => status === "sent")
        const total = sent.reduce((sum, { step }) => sum + (start.route[step]?.price ?? 0), 0)
        assert.strictEqual(after.captured, total)
      }
    },
    runs
  )

  it("is nothing over sms, whatever the other prices", () => {
    const [, , sms] = withPrices(VerificationRuns.routeOf([60, 60, 60]), { bale: 5, eitaa: 5 })
    assert.deepStrictEqual([sms?.channel, sms?.price], ["sms", undefined])
  })
})

describe("the part of a wallet that an id's money is in", () => {
  it.prop("exists", [Schema.String.check(Schema.isPattern(/^[0-9a-f]{12}$/))], ([id]) => {
    const stripe = stripeOf(id)
    assert.isTrue(Number.isInteger(stripe) && stripe >= 0 && stripe < WALLET_STRIPES)
  })
})
