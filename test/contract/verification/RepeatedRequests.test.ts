import { beforeAll, describe, expect, it } from "vitest"
import { type Created, messages, newKey, ok, otp, refused, type Reply, type Sent } from "../Client.ts"
import { customerWith, simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
beforeAll(async () => {
  server = sharedServer()
})

const withKey = (key: string) => ({ "idempotency-key": key })
const replayed = (reply: Reply) => reply.headers.get("idempotency-replayed")

const persian = (text: string) => text.replace(/\d/g, (digit) => String.fromCharCode(0x06f0 + Number(digit)))

/** One phone, in the forms that a client may write it in. */
const formsOf = (national: string) => [
  `0${national}`,
  `+98${national}`,
  `0098${national}`,
  national,
  persian(`0${national}`),
  `0${national.slice(0, 3)} ${national.slice(3, 6)}-${national.slice(6)}`
]

describe("a request that comes again with the same idempotency key", () => {
  it("is the same request whatever form its phone has: a code is sent once", async () => {
    const live = otp(server, server.demo.live_key)
    const key = withKey(newKey())
    const [form = "", ...others] = formsOf("9127770001")
    const first = ok<Sent>(await live.send({ phone: form, channels: "sms" }, key))
    for (const phone of others) {
      const again = await live.send({ phone, channels: "sms" }, key)
      expect(ok<Sent>(again), phone).toEqual(first)
      expect(replayed(again)).toBe("true")
    }
    expect(await simulated(server, "+989127770001")).toHaveLength(1)
    const other = await live.send({ phone: "09127770002", channels: "sms" }, key)
    refused(other, 409, "idempotency_key_conflict")
  })

  it("is the same request whatever form its phone has: a message is made once", async () => {
    const live = messages(server, server.demo.live_key)
    const key = withKey(newKey())
    const [form = "", ...others] = formsOf("9127770003")
    const first = ok<Created>(await live.send({ to: form }, key), 201)
    for (const to of others) {
      const again = await live.send({ to }, key)
      expect(ok<Created>(again, 201), to).toEqual(first)
      expect(replayed(again)).toBe("true")
    }
    refused(await live.send({ to: "09127770004" }, key), 409, "idempotency_key_conflict")
  })

  it("is asked to come again in a second while the first is in progress", async () => {
    const slow = await customerWith(server, { bale: { latency_ms: 2_000 } })
    const api = otp(server, slow.live)
    const key = withKey(newKey())
    const body = { phone: "09127770005", channels: "bale" }
    const replies = await Promise.all([api.send(body, key), api.send(body, key)])
    const early = replies.find(({ status }) => status === 409)
    if (early === undefined) throw new Error("two requests, and no conflict")
    refused(early, 409, "idempotency_key_in_progress")
    expect(early.headers.get("retry-after")).toBe("1")
  })
})
