import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import { Headers } from "effect/http"
import { mayReadMetrics } from "../../../src/http/server/RequestMetrics.ts"
import { isPrivateAddress } from "../../../src/layers/network/PrivateAddresses.ts"

const from = (address: string, headers: Readonly<Record<string, string>> = {}) => ({
  remoteAddress: Option.some(address),
  headers: Headers.fromInput(headers)
})

const open = { token: Option.none(), isOpen: true, isPrivate: isPrivateAddress }
const closed = { token: Option.some(Redacted.make("secret")), isOpen: false, isPrivate: isPrivateAddress }

describe("who may read the metrics", () => {
  it.each(["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "172.18.0.5", "192.168.1.9", "fd00::7"])(
    "without a token: %s, which is near",
    (address) => assert.isTrue(mayReadMetrics(from(address), open))
  )

  it.each(["8.8.8.8", "::ffff:8.8.8.8", "2a00:1450:4001::200e"])(
    "without a token: not %s, which is the internet",
    (address) => assert.isFalse(mayReadMetrics(from(address), open))
  )

  it.each(["x-forwarded-for", "x-real-ip", "forwarded", "via"])(
    "without a token: nobody through a proxy that says %s",
    (name) => assert.isFalse(mayReadMetrics(from("127.0.0.1", { [name]: "10.0.0.1" }), open))
  )

  it.each(["127.0.0.1", "::1", "10.1.2.3", "8.8.8.8"])(
    "without a token, where the service listens on more than loopback: not %s",
    (address) => assert.isFalse(mayReadMetrics(from(address), { ...open, isOpen: false }))
  )

  it("with a token: whoever has it, from wherever", () => {
    assert.isTrue(mayReadMetrics(from("8.8.8.8", { authorization: "Bearer secret" }), closed))
    assert.isTrue(
      mayReadMetrics(from("8.8.8.8", { authorization: "bearer secret", via: "1.1 proxy" }), closed)
    )
  })

  it.each(["", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Basic secret"])(
    "with a token: not who sends %j, however near",
    (authorization) => assert.isFalse(mayReadMetrics(from("127.0.0.1", { authorization }), closed))
  )
})
