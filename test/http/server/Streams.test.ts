import { assert, describe, it } from "@effect/vitest"
import { Socket } from "node:net"
import { Admission, BodyWaits, makeOverloadGate } from "../../../src/http/server/Gate.ts"
import { IncomingRequest, OutgoingResponse } from "../../../src/http/server/IncomingRequest.ts"
import { unmatched } from "../../../src/http/RouteTable.ts"
import { LinkedSet } from "../../../src/services/concurrency/Collections.ts"
import { noLoad } from "../../../src/services/concurrency/Workers.ts"

const setUp = () => {
  const gate = makeOverloadGate({ maxInFlight: 100, maxDelayMillis: 1000, coldRequests: 0 }, noLoad())
  const counts = {
    gate,
    waits: new BodyWaits(1000, 10),
    open: new LinkedSet<Admission>(),
    streams: new LinkedSet<() => void>()
  }
  const admit = () => {
    const response = new OutgoingResponse(new IncomingRequest(new Socket()))
    const admission = new Admission(response, { ...unmatched, load: "manage" }, 0, counts)
    assert.isTrue(admission.begin(false))
    response.admittedAs(admission)
    return { admission, response }
  }
  return { gate, counts, admit, inFlight: () => gate.snapshot().inFlight.manage }
}

describe("a response that is a stream", () => {
  it("counts neither as load nor as time from there on, however much it writes", () => {
    const { admit, counts, inFlight } = setUp()
    const { admission, response } = admit()
    assert.strictEqual(inFlight(), 1)
    admission.stream(() => {})
    response.write("data")
    assert.deepStrictEqual([inFlight(), [...counts.open].length, [...counts.streams].length], [0, 0, 1])
    response.end()
    assert.deepStrictEqual([inFlight(), [...counts.streams].length], [0, 0])
    admission.leave()
    assert.strictEqual(inFlight(), 0)
  })

  it("is ended when the server stops, and not after it has ended", () => {
    const { admit, counts } = setUp()
    const ended: Array<string> = []
    const one = admit().admission
    const other = admit().admission
    one.stream(() => ended.push("one"))
    other.stream(() => ended.push("other"))
    other.leave()
    for (const end of counts.streams) end()
    assert.deepStrictEqual(ended, ["one"])
  })
})
