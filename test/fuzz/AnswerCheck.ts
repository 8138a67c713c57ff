/** Whether an answer is one that the document allows. */
import { Predicate } from "effect"
import { document, type Operation, operationOf } from "./ApiDocument.ts"
import { makeValidator } from "./JsonSchema.ts"
import type { RawAnswer, RawRequest } from "./RawHttp.ts"

const problemsOf = makeValidator(document)

/** The headers that HTTP itself needs, whatever the operation. */
const HTTP_CODES = new Set([
  "bad_request",
  "headers_too_large",
  "request_timeout",
  "method_not_allowed",
  "not_found",
  "payload_too_large"
])

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const envelopeProblems = ({ headers, body }: RawAnswer): ReadonlyArray<string> => {
  const value = parsed(body)
  if (!Predicate.isObject(value)) return ["an error without an envelope"]
  const { error, request_id: id } = value as Record<string, unknown>
  const isEnvelope =
    Predicate.isObject(error) &&
    ["code", "message"].every((key) => typeof Reflect.get(error, key) === "string") &&
    Predicate.isObject(Reflect.get(error, "details")) &&
    typeof id === "string" &&
    Object.keys(value).length === 2
  if (!isEnvelope) return ["an error that is not the envelope"]
  return headers.get("x-request-id") === id ? [] : ["another request id in the header"]
}

export const codeOf = ({ body }: RawAnswer): string => {
  const value = parsed(body)
  const error = Predicate.isObject(value) ? Reflect.get(value, "error") : undefined
  return Predicate.isObject(error) ? String(Reflect.get(error, "code")) : ""
}

const declaredProblems = ({ responses }: Operation, answer: RawAnswer): ReadonlyArray<string> => {
  if (answer.status >= 400 && HTTP_CODES.has(codeOf(answer))) return []
  const declared = responses[String(answer.status)]
  if (!Predicate.isObject(declared)) return [`status ${answer.status} is not declared`]
  const content = Reflect.get(declared, "content")
  if (!Predicate.isObject(content)) return answer.body === "" ? [] : ["a body where none is declared"]
  const json = Reflect.get(content, "application/json")
  if (!Predicate.isObject(json)) return []
  const value = parsed(answer.body)
  return value === undefined
    ? ["a body that is not JSON"]
    : problemsOf(Reflect.get(json, "schema"), value).slice(0, 3)
}

export const answerProblems = ({ method, target }: RawRequest, answer: RawAnswer): ReadonlyArray<string> => {
  const { status, headers } = answer
  const operation = operationOf(method, target)
  const common = [
    ...(status >= 500 ? [`status ${status}`] : []),
    ...(headers.get("x-content-type-options") === "nosniff" ? [] : ["no nosniff"]),
    ...(headers.has("x-request-id") ? [] : ["no request id"])
  ]
  if (method === "HEAD") return common
  const envelope = status >= 400 ? envelopeProblems(answer) : []
  const declared = operation === undefined ? [] : declaredProblems(operation, answer)
  return [...common, ...envelope, ...(envelope.length > 0 ? [] : declared)]
}
