import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerProblems } from "./AnswerCheck.ts"
import { fuzz } from "./Fuzz.ts"
import { startFuzzedServer } from "./FuzzedServer.ts"
import { exchange, type RawAnswer, type RawRequest } from "./RawHttp.ts"
import {
  acceptedRequests,
  UNSTORABLE,
  type UnstorableOptions,
  type UnstorableRequest,
  unstorableRequests
} from "./UnstorableText.ts"

let fuzzed: Awaited<ReturnType<typeof startFuzzedServer>>
let options: UnstorableOptions
let sent: Awaited<ReturnType<typeof acceptedRequests>>

const answerTo = async (request: RawRequest): Promise<RawAnswer> => {
  const outcome = await exchange(fuzzed.server.port, request)
  if (outcome.kind !== "answered") throw new Error(`no answer: ${outcome.kind}`)
  return outcome.answer
}

beforeAll(async () => {
  fuzzed = await startFuzzedServer()
  const { server, credentials, known, renew } = fuzzed
  const now = performance.timeOrigin + performance.now()
  options = { credentials, known, now }
  // So that there is something of everything, whose ids are known.
  await fuzz({ port: server.port, seed: "known", requests: 600, onProgress: renew, ...options })
  sent = await acceptedRequests(options, async (request) => {
    const { status, body } = await answerTo(request)
    if (status === 401) await renew()
    return status < 300 && !/"error":\{"code"/.test(body)
  })
  await renew()
}, 120_000)
afterAll(() => fuzzed?.server.stop())

/** Peyk stores it as the JSON text that came, in which it is an escape, and returns it so. */
const isKept = ({ path }: UnstorableRequest) => /\bmetadata\./.test(path)

/** What is wrong there with any other character too, or in a batch before that text is looked at. */
const OWN_REFUSALS = new Set([
  "invalid_phone",
  "invalid_channel",
  "invalid_strategy",
  "invalid_delay",
  "not_found",
  "invalid_credentials",
  "unauthenticated",
  "message_required",
  "channels_required",
  "template_not_found",
  "template_parameters_mismatch"
])

interface Issue {
  readonly path: string
}

/** The code of an error, also of the first element of a batch, or of the send that a preview is of. */
const refusalIn = ({ body }: RawAnswer): string =>
  /"(?:error":\{"code|would_refuse)":"(\w+)"/.exec(body)?.[1] ?? ""

/** Whether the answer names the field with the bad text, or the object that contains it. */
const namesField = ({ path, operation }: UnstorableRequest, { body }: RawAnswer): boolean => {
  const isBatch = operation.template.endsWith("/batch")
  const { error, data } = JSON.parse(body)
  const errors: ReadonlyArray<Issue> = isBatch
    ? (data?.[0]?.error?.details?.errors ?? error?.details?.errors ?? [])
    : (error?.details?.errors ?? [])
  const [, parent = "", name = ""] = /^(.*?)\.?([^.]*)$/s.exec(path) ?? []
  return errors.some(
    (each) =>
      path.startsWith(each.path) || each.path.startsWith(`${parent}.`) || each.path.endsWith(`.${name}`)
  )
}

const problemOf = (each: UnstorableRequest, answer: RawAnswer): string | undefined => {
  const problems = answerProblems(each.request, answer)
  if (problems.length > 0) return problems.join("; ")
  if (isKept(each) || OWN_REFUSALS.has(refusalIn(answer)) || namesField(each, answer)) return undefined
  return `${answer.status} ${answer.body.slice(0, 200)}`
}

describe("a text that PostgreSQL cannot store", () => {
  it("is tried in requests that are accepted otherwise", () => {
    const taken = sent.accepted.map(({ operation: { method, template } }) => `${method} ${template}`)
    for (const mode of ["", "/sandbox"])
      expect(taken).toEqual(
        expect.arrayContaining([`POST /v1${mode}/otp/send`, `POST /v1${mode}/messages/send`])
      )
    expect(taken.length).toBeGreaterThan(60)
  })

  it.each(Object.entries(UNSTORABLE))(
    "is refused with the name of its field, wherever it comes: %s",
    async (_name, bad) => {
      const requests = unstorableRequests(bad, [...sent.accepted, ...sent.refused], options)
      const wrong: Array<string> = []
      for (const each of requests) {
        if (each.path.startsWith("query.") && bad === UNSTORABLE["an unpaired surrogate"]) continue
        const problem = problemOf(each, await answerTo(each.request))
        if (problem !== undefined)
          wrong.push(`${each.operation.method} ${each.operation.template} ${each.path}: ${problem}`)
      }
      expect(wrong).toEqual([])
      expect(requests.length).toBeGreaterThan(200)
    },
    60_000
  )
})
