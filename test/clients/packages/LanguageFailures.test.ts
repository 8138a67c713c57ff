// @effect-diagnostics globalDate:off
/** What the clients for other languages do with bad arguments, broken responses and responses of others. */
import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { makeCalls, python } from "./LanguageCalls.ts"

const secretOf = (key: Buffer) => `whsec_${key.toString("base64")}`
const key = Buffer.alloc(32, 7)
const payload = JSON.stringify({ type: "webhook.test", data: { sequence: 1 } })

const nowSeconds = () => Math.floor((performance.timeOrigin + performance.now()) / 1000)

const requestSigned = (sign: (id: string, seconds: number) => string) => {
  const seconds = nowSeconds()
  const signature = sign("msg_1", seconds)
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(seconds),
    "webhook-signature": signature
  }
  return { HEADERS: JSON.stringify(headers), PAYLOAD: payload }
}

const notAKey = "refused: The secret is not the whsec_… of a webhook."

describe.each([python].filter(({ isInstalled }) => isInstalled))("the client for $name", (language) => {
  it("refuses a webhook if its secret has no key, whoever signed it", async () => {
    const forged = requestSigned(
      (id, seconds) => `v1,${createHmac("sha256", "").update(`${id}.${seconds}.${payload}`).digest("base64")}`
    )
    const secrets = ["", "whsec_", "----", "====", "whsec_A"]
    const calls = secrets.map((secret) => `webhook(${JSON.stringify(secret)})`)
    const { outcomes } = await makeCalls(language, calls, { env: forged })
    expect(outcomes).toEqual(Array(secrets.length).fill(notAKey))
  })

  it("takes a webhook's secret without its padding", async () => {
    const signed = requestSigned((id, seconds) =>
      new Webhook(secretOf(key)).sign(id, new Date(seconds * 1000), payload)
    )
    const call = `webhook(${JSON.stringify(secretOf(key).replaceAll("=", ""))})`
    expect((await makeCalls(language, [call], { env: signed })).outcomes).toEqual([payload])
  })
})
