/**
 * No step is sent twice, by the providers' own records. These can come again:
 * - to a provider that de-duplicates (Bale Safir, bridges), once more with the same id, after a lost response;
 * - a message, after "try again later", up to two more times.
 */
import { LOSSES } from "../Disturbances.ts"
import { type Evidence, groupBy, type Invariant, stepKey } from "../Evidence.ts"
import { type Arrival, DEDUPLICATING, deeds } from "../Providers.ts"

const RETRIES = 2

const answerOf = ({ deed }: Arrival) => deeds[deed].answer

/**
 * Its response was lost: it was never sent, or the server that waited for it was hindered meanwhile; or before, so that
 * the call's lease ran out.
 */
const wasAnswerLost = (first: Arrival, second: Arrival, { disturbances, leaseMillis }: Evidence): boolean =>
  answerOf(first) === "nothing" ||
  disturbances.during({ from: first.at - leaseMillis, to: second.at }, LOSSES, first.server)

const problemsOf = (
  arrivals: ReadonlyArray<Arrival>,
  kind: "code" | "message",
  evidence: Evidence
): ReadonlyArray<string> => {
  const [first] = arrivals
  if (first === undefined) return []
  const isUnavailable = (each: Arrival) => answerOf(each) === "unavailable"
  const answered = kind === "message" ? arrivals.filter((each) => !isUnavailable(each)) : arrivals
  const deduplicates = DEDUPLICATING.includes(first.channel)
  const summary = arrivals.map(({ deed }) => deed).join(", ")
  const problems: Array<string> = []
  if (answered.length > (deduplicates ? 2 : 1))
    problems.push(`was sent ${answered.length} times (${summary})`)
  if (arrivals.length - answered.length > RETRIES + 1) problems.push(`was retried too often (${summary})`)
  const [once, again] = answered
  if (once !== undefined && again !== undefined && !wasAnswerLost(once, again, evidence)) {
    problems.push(`was repeated though its answer (${once.deed}) came through`)
  }
  if (!deduplicates && answered.length > 0 && arrivals.at(-1) !== answered[0]) {
    problems.push(`was tried again after it may have been sent (${summary})`)
  }
  if (new Set(arrivals.map(({ id }) => id)).size > 1) problems.push("came under different ids")
  if (new Set(arrivals.map(({ content }) => content)).size > 1) problems.push("came with different texts")
  return problems
}

export const sentOnce: Invariant = (evidence) => {
  const { arrivals, records } = evidence
  const kinds = new Map(records.subjects.map(({ phone, kind }) => [phone, kind]))
  const steps = groupBy(arrivals, ({ phone, channel }) => stepKey(phone, channel))
  const broken = [...steps].flatMap(([step, all]) =>
    problemsOf(all, kinds.get(all[0]?.phone ?? "") ?? "code", evidence).map((problem) => `${step} ${problem}`)
  )
  const contents = groupBy(arrivals, ({ phone }) => phone)
  for (const [phone, all] of contents) {
    if (new Set(all.map(({ content }) => content)).size > 1)
      broken.push(
        `${phone} was sent two different things: ${all.map(({ channel, content }) => `${channel} ${content}`).join(", ")}`
      )
  }
  const repeated = [...steps.values()].filter(({ length }) => length > 1).length
  const lost = arrivals.filter((each) => answerOf(each) === "nothing").length
  return {
    invariant: "No step was sent twice, but as decided (docs/decisions/0011)",
    counted: `${steps.size} steps, ${arrivals.length} calls, ${lost} of them without a true answer, ${repeated} steps repeated as decided`,
    isCovered: arrivals.length > 0,
    broken
  }
}
