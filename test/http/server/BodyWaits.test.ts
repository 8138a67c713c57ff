import { assert, describe, it } from "@effect/vitest"
import { Socket } from "node:net"
import { Admission, BodyWaits, makeOverloadGate } from "../../../src/http/server/Gate.ts"
import { IncomingRequest, OutgoingResponse } from "../../../src/http/server/IncomingRequest.ts"
import { makeRouteTable, pathOf, unmatched } from "../../../src/http/RouteTable.ts"
import { servedRoutes } from "../../../src/http/Routes.ts"
import { LinkedSet } from "../../../src/services/concurrency/Collections.ts"
import { noLoad } from "../../../src/services/concurrency/Workers.ts"

const TIMEOUT = 5000

const findPath = makeRouteTable(servedRoutes(true))

const traitsOf = (method: string, url: string) => findPath(pathOf(url))?.traitsOf(method) ?? unmatched

const waitsOf = (maxWaiting: number) => {
  const waits = new BodyWaits(TIMEOUT, maxWaiting)
  const gate = makeOverloadGate({ maxInFlight: 100, maxDelayMillis: 1000, coldRequests: 0 }, noLoad())
  const counts = { gate, waits, open: new LinkedSet<Admission>(), streams: new LinkedSet<() => void>() }
  const givenUp: Array<string> = []
  /** A request that came in at a time, and waits for its body. */
  const wait = (method: string, url: string, since = 0) => {
    const request = new IncomingRequest(new Socket())
    request.url = url
    const admission = new Admission(new OutgoingResponse(request), traitsOf(method, url), since, counts)
    assert.isTrue(admission.begin(true))
    admission.waitForBody(() => givenUp.push(url))
    return admission
  }
  return { waits, gate, givenUp, wait }
}

describe("requests that wait for their bodies", () => {
  it("are given up once their time is over, and batches and contacts after twice that", () => {
    const { waits, givenUp, wait } = waitsOf(10)
    wait("POST", "/v1/messages/batch")
    wait("POST", "/v1/sandbox/messages/batch?a=b")
    wait("PUT", "/v1/manage/accounts/7/contacts")
    wait("POST", "/v1/messages/send")
    wait("POST", "/v1/messages/batches")
    waits.giveUpOverdue(TIMEOUT - 1)
    assert.deepStrictEqual(givenUp, [])
    waits.giveUpOverdue(TIMEOUT)
    assert.deepStrictEqual(givenUp, ["/v1/messages/send", "/v1/messages/batches"])
    waits.giveUpOverdue(2 * TIMEOUT)
    assert.strictEqual(givenUp.length, 5)
    waits.giveUpOverdue(3 * TIMEOUT)
    assert.strictEqual(waits.givenUp, 5)
  })

  it("make room, the oldest first, when there are too many", () => {
    const { waits, givenUp, wait } = waitsOf(2)
    for (const url of ["/1", "/2", "/3", "/4"]) wait("POST", url)
    assert.deepStrictEqual(givenUp, ["/1", "/2"])
    assert.strictEqual(waits.size, 2)
  })

  it("count as load again with their bodies, and not after they have left", () => {
    const { waits, gate, wait } = waitsOf(10)
    const [first, second] = [wait("POST", "/1"), wait("POST", "/2")]
    assert.strictEqual(gate.snapshot().inFlight.public, 0)
    assert.isTrue(first.endBodyWait())
    assert.strictEqual(gate.snapshot().inFlight.public, 1)
    second.leave()
    first.leave()
    assert.strictEqual(gate.snapshot().inFlight.public, 0)
    assert.strictEqual(waits.size, 0)
  })

  it("are refused when there is no room for their work by then", () => {
    const { gate, wait } = waitsOf(10)
    const admission = wait("POST", "/1")
    while (gate.enter("public", 0));
    assert.isFalse(admission.endBodyWait())
    const { inFlight } = gate.snapshot()
    admission.leave()
    assert.deepStrictEqual(gate.snapshot().inFlight, inFlight)
  })
})
