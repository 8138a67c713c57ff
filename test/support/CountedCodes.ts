import { SECONDS_CLASSES } from "../../src/domain/Activity.ts"
import {
  addedSums,
  type InsightKind,
  type KeyedSums,
  NO_TEMPLATE,
  noCodeSums
} from "../../src/domain/Insights.ts"
import { operatorOf } from "../../src/domain/Operators.ts"
import type { TimeSpan } from "../../src/domain/Paging.ts"
import type { Verification } from "../../src/domain/verification/Verification.ts"

const secondsOf = ({ verifiedAt, createdAt }: Verification): ReadonlyArray<number> => {
  const counts = noCodeSums.seconds.map(() => 0)
  if (verifiedAt === null) return counts
  const seconds = (verifiedAt - createdAt) / 1000
  const nth = SECONDS_CLASSES.filter((end) => end <= seconds).length
  return counts.with(nth, 1)
}

const stepAt = ({ route }: Verification, step: number) => route[step] ?? route[0]

/** The part of the charge that belongs to this attempt: the first that was sent at the charged price. */
const costOf = (code: Verification, index: number): number => {
  const charged = code.attempts.findIndex(
    ({ status, step }) => status === "sent" && (stepAt(code, step).price ?? 0) === code.captured
  )
  return index === charged ? code.captured : 0
}

type Key = readonly [InsightKind, string]

const keysOfAttempt = (code: Verification, index: number): ReadonlyArray<Key> => {
  const { channel, account_id, template } = stepAt(code, code.attempts[index]?.step ?? 0)
  return [
    ["channel", channel],
    ["account", String(account_id)],
    ["template", template === undefined ? NO_TEMPLATE : String(template)]
  ]
}

/** What one code adds to the sums, by kind and key. */
const partsOf = (code: Verification): ReadonlyArray<KeyedSums & { readonly kind: InsightKind }> => {
  const { attempts, verifiedAt } = code
  const channelAt = (index: number) => stepAt(code, attempts.at(index)?.step ?? 0).channel
  const verified = verifiedAt === null ? 0 : 1
  const fallbacks = verified === 1 && attempts.length > 0 && channelAt(0) !== channelAt(-1) ? 1 : 0
  const whole = { codes: 1, verified, fallbacks, cost: code.captured, seconds: secondsOf(code) }
  const tried = new Map<string, Key>()
  for (const index of attempts.keys())
    for (const key of keysOfAttempt(code, index)) tried.set(key.join(" "), key)
  return [
    { kind: "all", key: "", ...whole },
    { kind: "operator", key: operatorOf(code.phone), ...whole },
    ...[...tried.values()].map(([kind, key]) => {
      const own = [...attempts.keys()].filter((index) =>
        keysOfAttempt(code, index).some(([otherKind, other]) => otherKind === kind && other === key)
      )
      const isLast = own.includes(attempts.length - 1)
      return {
        kind,
        key,
        codes: 1,
        verified: isLast ? verified : 0,
        fallbacks: isLast ? fallbacks : 0,
        cost: own.reduce((sum, index) => sum + costOf(code, index), 0),
        seconds: isLast ? whole.seconds : noCodeSums.seconds
      }
    })
  ]
}

/** The expected sums of the codes of a time, counted one by one. */
export const countedCodes = (codes: ReadonlyArray<Verification>, { from, to }: TimeSpan) => {
  const sums = new Map<string, KeyedSums & { readonly kind: InsightKind }>()
  for (const code of codes) {
    if (code.createdAt < from || code.createdAt >= to) continue
    for (const part of partsOf(code)) {
      const name = `${part.kind} ${part.key}`
      const { kind, key } = part
      sums.set(name, { kind, key, ...addedSums(sums.get(name) ?? noCodeSums, part) })
    }
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
}
