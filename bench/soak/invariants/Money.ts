/** Balances are the sums of their ledgers, nothing is held any more, and captures match the sends. */
import { describe, groupBy, type Invariant } from "../Evidence.ts"
import type { EventRecord, SubjectRecord } from "../Records.ts"

/** One success is charged; under broadcast each. */
const priceOf = ({ route, attempts, strategy }: SubjectRecord): number => {
  const prices = attempts.filter(({ status }) => status === "sent").map(({ step }) => route[step]?.price ?? 0)
  return strategy === "broadcast" ? prices.reduce((sum, price) => sum + price, 0) : Math.max(0, ...prices)
}

const ENDS = ["verified", "locked", "failed", "expired"].map((end) => `verification.${end}`)

/** A code's call that was in progress when the code ended is recorded, and costs nothing. */
const isSentLate = (events: ReadonlyArray<EventRecord>): boolean => {
  const end = events.findIndex(({ type }) => ENDS.includes(type))
  return end !== -1 && events.slice(end).some(({ type }) => type === "verification.attempt_sent")
}

export const money: Invariant = ({ records }) => {
  const events = groupBy(records.events, ({ subject }) => subject)
  const captured = [...records.captures.values()].reduce((sum, each) => sum + each, 0)
  return {
    invariant: "Balance is the sum of the ledger, and nothing is held",
    counted: `${records.wallets.length} wallets, ${captured} rials captured for ${records.captures.size} sends`,
    isCovered: captured > 0,
    broken: [
      ...records.wallets.flatMap(({ customerId, balance, held, ledger }) => [
        ...(balance === ledger
          ? []
          : [`customer ${customerId} has a balance of ${balance} and a ledger of ${ledger}`]),
        ...(held === 0 ? [] : [`customer ${customerId} has ${held} held`])
      ]),
      ...records.subjects.flatMap((subject) => {
        const expected = priceOf(subject)
        const { captured: taken } = subject
        const inLedger = records.captures.get(subject.id) ?? 0
        const isRight = taken === expected || (taken === 0 && isSentLate(events.get(subject.id) ?? []))
        return [
          ...(subject.held === 0 ? [] : [`${describe(subject)} holds ${subject.held}`]),
          ...(isRight && inLedger === taken
            ? []
            : [`${describe(subject)} cost ${expected}, captured ${taken}, in the ledger ${inLedger}`])
        ]
      })
    ]
  }
}
