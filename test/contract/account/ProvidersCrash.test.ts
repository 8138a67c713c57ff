import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Received } from "../../support/fakes/FakeFarEnd.ts"
import { messages, newKey, newPhone, ok, otp, type Sent } from "../Client.ts"
import {
  arrived,
  BRIDGE_SECRET,
  codeIn,
  connectAccount,
  digits,
  type FarEnds,
  local,
  onSends,
  openFarEnds,
  sendsWith,
  workingSettings
} from "../FarEnds.ts"
import { newCustomer } from "../Operator.ts"
import { type Server, startServer, until } from "../Server.ts"

let server: Server
let ends: FarEnds
let key: string
const codes = () => otp(server, key)
const live = () => messages(server, key)
beforeAll(async () => {
  ends = await openFarEnds()
  server = await startServer({ env: { ...ends.env, PEYK_LEASE_MS: "1000" } })
  const { id, live } = await newCustomer(server)
  key = live
  const bridge = { url: `${ends.bridge.url}/send`, secret: BRIDGE_SECRET }
  await Promise.all([
    connectAccount(server, id, "sms", "smsir", workingSettings.smsir),
    connectAccount(server, id, "bale", "bale_safir", workingSettings.bale_safir),
    connectAccount(server, id, "eitaa", "bridge", bridge)
  ])
}, 240_000)
afterAll(async () => {
  await server?.stop()
  await ends?.close()
})

const requestIdsOf = (calls: ReadonlyArray<Received>) =>
  new Set(calls.map(({ json }) => Object(json).request_id))

/** The sends that hang when the server is killed: a code and a message over Bale's Safir, and the same over SMS.ir. */
const hanging = {
  codeOverBale: { phone: newPhone(), key: newKey(), channels: ["bale", "eitaa"] },
  codeOverSms: { phone: newPhone(), key: newKey(), channels: ["sms", "eitaa"] },
  messageOverBale: { phone: newPhone(), channels: ["bale", "eitaa"] },
  messageOverSms: { phone: newPhone(), channels: ["sms", "eitaa"] }
}
const ids = { messageOverBale: "", messageOverSms: "" }

describe("after kill -9 while providers say nothing", () => {
  beforeAll(async () => {
    onSends(ends.safir, "silence", "silence")
    onSends(ends.smsir, "silence", "silence")
    const cut = [hanging.codeOverBale, hanging.codeOverSms].map(({ phone, key: once, channels }) =>
      codes()
        .postSend({ phone, channels, channel_timeout: 120 }, { "idempotency-key": once })
        .catch(() => undefined)
    )
    for (const name of ["messageOverBale", "messageOverSms"] as const) {
      const { phone: to, channels } = hanging[name]
      ids[name] = (await live().created({ to, channels, message: "سلام" })).message_id
    }
    await Promise.all([
      arrived(ends.safir, digits(hanging.codeOverBale.phone)),
      arrived(ends.safir, digits(hanging.messageOverBale.phone)),
      arrived(ends.smsir, local(hanging.codeOverSms.phone)),
      arrived(ends.smsir, local(hanging.messageOverSms.phone))
    ])
    await server.kill()
    expect(await Promise.all(cut)).toEqual([undefined, undefined])
    server = await server.restart()
  })

  const replayed = async ({ phone, key: once, channels }: typeof hanging.codeOverBale) =>
    ok<Sent>(await codes().replayed({ phone, channels, channel_timeout: 120 }, once))

  it("a code over Bale's Safir is repeated once with the same id, and counts as sent", async () => {
    const { phone } = hanging.codeOverBale
    const { verification_id: id } = await replayed(hanging.codeOverBale)
    const settled = await until(
      "the repeat to be settled",
      async () => {
        const now = await codes().status(id)
        const isSettled = now.attempts.length > 1 || now.attempts.some(({ status }) => status === "sent")
        return isSettled ? now : undefined
      },
      20_000
    )
    expect(settled).toMatchObject({
      status: "queued",
      current_channel_status: "sent",
      attempts: [{ sequence: 1, channel: { provider: "bale" }, status: "sent" }]
    })
    const calls = sendsWith(ends.safir, digits(phone))
    expect(calls).toHaveLength(2)
    expect(requestIdsOf(calls).size).toBe(1)
    expect(calls[1]?.json).toEqual(calls[0]?.json)
    expect(sendsWith(ends.bridge, phone)).toEqual([])
    const code = codeIn(
      calls[0]?.json === undefined ? "" : Object(calls[0].json).message_data.otp_message.otp
    )
    expect(await codes().outcome(id, code)).toEqual({ verified: true, reason: "ok" })
  }, 60_000)

  it("a code over SMS.ir is not repeated, and goes to the next channel", async () => {
    const { phone } = hanging.codeOverSms
    const { verification_id: id } = await replayed(hanging.codeOverSms)
    expect(await codes().attempted(id, 2, 20_000)).toMatchObject({
      status: "queued",
      attempts: [
        { sequence: 1, channel: { provider: "smsir" }, status: "failed", transition_reason: "failed" },
        { sequence: 2, channel: { provider: "eitaa" }, status: "sent" }
      ]
    })
    expect(sendsWith(ends.smsir, local(phone))).toHaveLength(1)
    expect(sendsWith(ends.bridge, phone)).toHaveLength(1)
  }, 60_000)

  it("a message over Bale's Safir is repeated once with the same id, and is sent", async () => {
    const { phone } = hanging.messageOverBale
    const message = await live().completed(ids.messageOverBale, 20_000)
    expect(message).toMatchObject({
      status: "sent",
      attempts: [{ channel: { provider: "bale" }, status: "sent", error_code: null }]
    })
    const calls = sendsWith(ends.safir, digits(phone))
    expect(calls).toHaveLength(2)
    expect(requestIdsOf(calls).size).toBe(1)
    expect(sendsWith(ends.bridge, phone)).toEqual([])
  }, 60_000)

  it("a message over SMS.ir is not repeated, and goes to the next route", async () => {
    const { phone } = hanging.messageOverSms
    const message = await live().completed(ids.messageOverSms, 20_000)
    expect(message).toMatchObject({
      status: "sent",
      attempts: [
        { channel: { provider: "smsir" }, status: "failed", error_code: "provider_outcome_unknown" },
        { channel: { provider: "eitaa" }, status: "sent" }
      ]
    })
    expect(sendsWith(ends.smsir, local(phone))).toHaveLength(1)
    expect(sendsWith(ends.bridge, phone)).toHaveLength(1)
  }, 60_000)

  it("nothing is sent a third time once all of it is over", async () => {
    const { phone } = hanging.codeOverBale
    // A later code and message go through: whatever was due before them has been done.
    await codes().sent({ channels: "bale" })
    expect((await live().delivered({ channels: "sms" })).status).toBe("sent")
    expect(sendsWith(ends.safir, digits(phone))).toHaveLength(2)
    expect(sendsWith(ends.safir, digits(hanging.messageOverBale.phone))).toHaveLength(2)
    expect(sendsWith(ends.smsir, local(hanging.codeOverSms.phone))).toHaveLength(1)
    expect(sendsWith(ends.smsir, local(hanging.messageOverSms.phone))).toHaveLength(1)
  })
})
