/** Sends requests made from the document, most of them broken, and says which answers are not what they have to be. */
import { type Random, randomOf } from "../../bench/soak/Random.ts"
import { answerProblems, codeOf } from "./AnswerCheck.ts"
import { allOperations, type Operation, otherOperations } from "./ApiDocument.ts"
import { byteMutations, valueMutations } from "./BodyMutations.ts"
import { jsonText } from "./JsonText.ts"
import type { Known } from "./Known.ts"
import { bytesOf, exchange, type Outcome, type RawRequest } from "./RawHttp.ts"
import { requestMutations } from "./RequestMutations.ts"
import { type Credentials, makeDrafts } from "./ValidRequests.ts"

export interface Failure {
  readonly number: number
  readonly mutations: ReadonlyArray<string>
  readonly problem: string
  readonly request: RawRequest
  readonly answer: string
}

export interface FuzzOptions {
  readonly port: number
  readonly seed: string
  readonly requests: number
  readonly credentials: Credentials
  readonly known: Known
  /** Milliseconds since 1970. */
  readonly now: number
  readonly onProgress?: (done: number) => Promise<void>
}

export interface FuzzReport {
  /** How many were answered with each status. */
  readonly statuses: ReadonlyMap<string, number>
  /** How many were not as they were made from the document. */
  readonly mutated: number
  readonly failures: ReadonlyArray<Failure>
}

const AT_ONCE = 8
/** Hashing passwords takes its time, and what is deleted is unknown to later requests. */
const SELDOM = /^\/v1\/auth\/|\/password$/

const pickOperation = (random: Random): Operation => {
  if (random.chance(0.03)) return random.pick(otherOperations)
  const operation = random.pick(allOperations)
  const isSeldom = SELDOM.test(operation.template) || operation.method === "DELETE"
  return isSeldom && random.chance(0.8) ? pickOperation(random) : operation
}

interface Made {
  readonly request: RawRequest
  readonly mutations: ReadonlyArray<string>
}

const makeRequest = (drafts: ReturnType<typeof makeDrafts>, random: Random): Made => {
  const mutations: Array<string> = []
  const draft = drafts(pickOperation(random), random)
  const mutated = <A>(
    all: ReadonlyArray<{ name: string; apply: (value: A, random: Random) => A }>,
    value: A
  ): A => {
    const mutation = random.pick(all)
    mutations.push(mutation.name)
    return mutation.apply(value, random)
  }
  let { body } = draft
  if (body !== undefined) {
    while (random.chance(0.5) && mutations.length < 3) body = mutated(valueMutations, body)
  }
  let bytes: Buffer | null = body === undefined ? null : Buffer.from(jsonText(body))
  if (bytes !== null && random.chance(0.15)) bytes = mutated(byteMutations, bytes)
  let request: RawRequest = {
    method: draft.method,
    target: draft.target,
    headers: draft.headers,
    body: bytes
  }
  while (random.chance(0.45) && mutations.length < 6) request = mutated(requestMutations, request)
  return { request, mutations }
}

const problemOf = (request: RawRequest, outcome: Outcome): ReadonlyArray<string> =>
  outcome.kind === "answered" ? answerProblems(request, outcome.answer) : [`no answer: ${outcome.kind}`]

const textOf = (outcome: Outcome): string =>
  outcome.kind === "answered" ? `${outcome.answer.status} ${outcome.answer.body}` : outcome.received

const learnFrom = (known: Known, { method, target }: RawRequest, outcome: Outcome) => {
  if (outcome.kind !== "answered" || outcome.answer.status >= 300) return
  try {
    known.learnFrom(method, target, JSON.parse(outcome.answer.body))
  } catch {
    // Not every answer is JSON.
  }
}

export const fuzz = async (options: FuzzOptions): Promise<FuzzReport> => {
  const { port, seed, requests, credentials, known, now } = options
  const drafts = makeDrafts(credentials, known, now)
  const statuses = new Map<string, number>()
  const failures: Array<Failure> = []
  let next = 0
  let mutated = 0
  const work = async () => {
    while (next < requests) {
      const number = next++
      if (number % 200 === 0) await options.onProgress?.(number)
      const { request, mutations } = makeRequest(drafts, randomOf(seed, number))
      const outcome = await exchange(port, request)
      learnFrom(known, request, outcome)
      if (mutations.length > 0) mutated += 1
      const label =
        outcome.kind === "answered"
          ? `${outcome.answer.status} ${codeOf(outcome.answer)}`.trim()
          : outcome.kind
      statuses.set(label, (statuses.get(label) ?? 0) + 1)
      const problems = problemOf(request, outcome)
      if (problems.length > 0)
        failures.push({ number, mutations, problem: problems.join("; "), request, answer: textOf(outcome) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { statuses, mutated, failures }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A command that makes the request again: curl where it can, else its bytes, by bash. */
export const reproduction = (port: number, request: RawRequest): string => {
  const { method, target, headers, body, sent } = request
  const isPlain =
    sent === undefined &&
    /^[\x20-\x7e]*$/.test(`${method}${target}${headers.flat().join("")}`) &&
    !headers.some(([name]) => /^(?:content-length|transfer-encoding|host|connection)$/i.test(name)) &&
    (body === null || (body.length < 4000 && /^[\x20-\x7e]*$/.test(body.toString("latin1"))))
  if (!isPlain)
    return `exec 3<>/dev/tcp/127.0.0.1/${port}; echo ${bytesOf(request).subarray(0, 4000).toString("base64")} | base64 -d >&3; cat <&3`
  const parts = headers.map(
    ([name, value]) => `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`
  )
  const data = body === null ? [] : [`--data-binary ${quoted(body.toString("latin1"))}`]
  return [
    "curl -si --path-as-is -g",
    `-X ${method}`,
    ...parts,
    ...data,
    quoted(`http://127.0.0.1:${port}${target}`)
  ].join(" ")
}
