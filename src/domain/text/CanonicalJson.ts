import { Predicate } from "effect"
import { LosslessNumber } from "lossless-json"
import { canonicalNumber } from "./CanonicalNumber.ts"

/** A value that is still to be written, and the text before it. */
interface Pending {
  readonly before: string
  readonly value: unknown
}

/** Stands for no value: only the text before it is written. */
const NOTHING = Symbol("nothing")

const fieldsOf = (value: object): ReadonlyArray<Pending> => {
  const fields = value as Readonly<Record<string, unknown>>
  return Object.keys(value)
    .filter((key) => fields[key] !== undefined)
    .sort()
    .map((key, index) => ({ before: `${index === 0 ? "" : ","}${JSON.stringify(key)}:`, value: fields[key] }))
}

const itemsOf = (value: ReadonlyArray<unknown>): ReadonlyArray<Pending> =>
  value.map((item, index) => ({ before: index === 0 ? "" : ",", value: item }))

/** A number that JavaScript cannot hold has the form that stored fingerprints were made of. */
const numberText = ({ value }: LosslessNumber): string => {
  const text = canonicalNumber(value)
  return String(Number(text)) === text ? text : `{"isLosslessNumber":true,"value":"${text}"}`
}

/**
 * JSON with sorted keys and without absent fields: equal values have equal texts. Without recursion, as a request may
 * be nested so deeply that it would exhaust the stack.
 */
export const canonicalJson = (root: unknown): string => {
  let text = ""
  const stack: Array<Pending> = [{ before: "", value: root }]
  const pushAll = (pending: ReadonlyArray<Pending>, end: string) => {
    stack.push({ before: end, value: NOTHING })
    for (const each of pending.toReversed()) stack.push(each)
  }
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { before, value } = next
    text += before
    if (value === NOTHING) continue
    if (Array.isArray(value)) {
      text += "["
      pushAll(itemsOf(value), "]")
    } else if (value instanceof LosslessNumber) {
      text += numberText(value)
    } else if (Predicate.isObject(value)) {
      text += "{"
      pushAll(fieldsOf(value), "}")
    } else text += JSON.stringify(value ?? null)
  }
  return text
}
