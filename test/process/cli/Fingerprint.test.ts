import { createHash } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { messages, ok, otp } from "../../contract/Client.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"
import { fingerprintIn } from "../store/Postgres.ts"

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

// Kept for 24 hours, also over an upgrade: another version has to make the same one, or it would refuse to replay.
describe("the fingerprint of a request is that of its body in the contract's words, with the phone's normal form, for", () => {
  it("a code", async () => {
    const body = {
      phone: "09121110001",
      channels: ["bale", { channel: "sms", wait: 45 }],
      channel_timeout: 60,
      template_id: null
    }
    ok(await otp(server, server.demo.live_key).postSend(body, { "idempotency-key": "a-code" }))
    expect(await fingerprintIn(server.dataDir, "a-code")).toBe(
      sha256(
        '{"channel_timeout":60,"channels":[{"channel":"bale"},{"channel":"sms","wait":45}],"phone":"+989121110001"}'
      )
    )
  })

  it("a message", async () => {
    const body = {
      to: "09121110002",
      message: "x",
      channels: "bale",
      strategy: "failover",
      delay: "1h",
      metadata: { b: null, a: 1 }
    }
    ok(await messages(server, server.demo.live_key).post(body, { "idempotency-key": "a-message" }), 201)
    expect(await fingerprintIn(server.dataDir, "a-message")).toBe(
      sha256(
        '{"channels":[{"channel":"bale"}],"delay":"1h","message":"x","metadata":{"a":1,"b":null},"strategy":"failover","to":"+989121110002"}'
      )
    )
  })
})
