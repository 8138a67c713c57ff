import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerProblems } from "./AnswerCheck.ts"
import { fuzz, reproduction } from "./Fuzz.ts"
import { startFuzzedServer } from "./FuzzedServer.ts"

const SEED = "short"
const REQUESTS = 2000

let fuzzed: Awaited<ReturnType<typeof startFuzzedServer>>
beforeAll(async () => {
  fuzzed = await startFuzzedServer()
})
afterAll(() => fuzzed?.server.stop())

describe("requests made from the document, and broken in all ways", () => {
  it("are answered as the document says, without a failure of ours, a hang or an error that is no envelope", async () => {
    const { server, credentials, known, renew } = fuzzed
    const { statuses, mutated, failures } = await fuzz({
      port: server.port,
      seed: SEED,
      requests: REQUESTS,
      credentials,
      known,
      now: performance.timeOrigin + performance.now(),
      onProgress: renew
    })
    const told = failures.map(
      ({ number, problem, request }) =>
        `seed ${SEED} #${number}: ${problem}\n${reproduction(server.port, request)}`
    )
    expect(told, server.output()).toEqual([])
    expect(mutated).toBeGreaterThan(REQUESTS / 3)
    // Otherwise it would only have seen what is refused at the door.
    expect(statuses.get("200") ?? 0).toBeGreaterThan(REQUESTS / 10)
    expect(statuses.get("422 validation_error") ?? 0).toBeGreaterThan(REQUESTS / 20)
  }, 120_000)
})

describe("the fuzzer", () => {
  const headers = new Map([
    ["x-request-id", "r"],
    ["x-content-type-options", "nosniff"]
  ])
  const request = { method: "POST", target: "/v1/otp/verify", headers: [], body: null }
  const envelope = (code: string) =>
    JSON.stringify({ error: { code, message: "m", details: {} }, request_id: "r" })
  const problems = (status: number, body: string) => answerProblems(request, { status, headers, body })

  it("takes what the document has", () => {
    expect(problems(200, `{"verified":true,"reason":"ok"}`)).toEqual([])
    expect(problems(404, envelope("not_found"))).toEqual([])
  })

  it.each([
    ["a failure of ours", 500, envelope("internal_error")],
    ["an error that is no envelope", 404, "Not Found"],
    ["another request id", 404, envelope("not_found").replace(`"r"`, `"s"`)],
    ["a status that is not declared", 402, envelope("insufficient_balance")],
    ["a code of another status", 401, envelope("validation_error")],
    ["a field that is missing", 200, `{"verified":true}`],
    ["a field that is not declared", 200, `{"verified":true,"reason":"ok","code":"1"}`],
    ["a field of another type", 200, `{"verified":"true","reason":"ok"}`]
  ])("finds %s", (_name, status, body) => {
    expect(problems(status, body)).not.toEqual([])
  })
})
