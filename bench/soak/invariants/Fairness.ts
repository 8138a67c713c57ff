/** A customer that floods a hanging provider makes nobody else's codes late. */
import { type Evidence, groupBy, type Invariant } from "../Evidence.ts"

/** How long a code may take to be on its way: shorter than anybody notices, longer than a busy machine needs. */
const UNNOTICED_MILLIS = 1000
const FACTOR = 2
/** With fewer values there is no p99. */
const MIN_CODES = 20

const p99 = (sorted: ReadonlyArray<number>): number => sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0

interface Sent {
  readonly from: number
  readonly to: number
  readonly millis: number
}

/** From the request to the first call to a provider, by one clock. */
const sentCodes = ({ journal, arrivals, flooding }: Evidence): ReadonlyArray<Sent> => {
  const arrived = groupBy(arrivals, ({ phone }) => phone)
  return [...journal.subjects.values()].flatMap(({ kind, customer, phone, askedAt }) => {
    const [first] = arrived.get(phone) ?? []
    if (kind !== "code" || customer.id === flooding || first === undefined) return []
    return [{ from: askedAt, to: first.at, millis: first.at - askedAt }]
  })
}

export const fairness: Invariant = (evidence) => {
  const { disturbances, lateness } = evidence
  const codes = sentCodes(evidence)
  const others = new Set(disturbances.all.map(({ kind }) => kind))
  others.delete("flood")
  const calm = codes.filter((code) => !disturbances.during(code, [...others]))
  const millisOf = (isFlooded: boolean) =>
    calm
      .filter((code) => disturbances.during(code, ["flood"]) === isFlooded)
      .map(({ millis }) => millis)
      .sort((a, b) => a - b)
  const flooded = millisOf(true)
  const usual = millisOf(false)
  const allowed = Math.max(UNNOTICED_MILLIS, FACTOR * p99(usual)) + lateness.ofMachine
  const isCovered = flooded.length >= MIN_CODES && usual.length >= MIN_CODES
  const isLate = isCovered && p99(flooded) > allowed
  const summary = `p99 ${p99(flooded).toFixed(0)} ms of ${flooded.length} codes`
  return {
    invariant: "A customer that floods a hanging provider makes nobody else's codes late",
    counted: `${summary} asked for during floods, ${p99(usual).toFixed(0)} ms of ${usual.length} others`,
    isCovered: isCovered,
    broken: isLate ? [`${summary} during floods; at most ${allowed.toFixed(0)} ms are allowed`] : []
  }
}
