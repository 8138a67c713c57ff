import { beforeAll, describe, expect, it } from "vitest"
import { issues, ok, type Outcome, otp, refused, sandbox, timestamp, unknownId } from "../Client.ts"
import { customerWith, sentCode, wrongCode } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

const accepted = { verified: true, reason: "ok" }
/** The response to a wrong code after which so many more may be tried; null: it was the last. */
const wrong = (triesLeft: number | null) => ({
  verified: false,
  reason: "invalid_code",
  tries_left: triesLeft
})
const locked = { verified: false, reason: "locked", tries_left: null }

let server: SharedServer
let live: ReturnType<typeof otp>
beforeAll(async () => {
  server = sharedServer()
  live = otp(server, server.demo.live_key)
})

const fresh = () => sentCode(server, server.demo.live_key)

const enterWrong = async (id: string, code: string, times: number) => {
  for (let n = 1; n <= times; n++) {
    expect(await live.outcome(id, wrongCode(code, n))).toEqual(wrong(n < 5 ? 5 - n : null))
  }
}

describe("the right code", () => {
  it("is right as well when the id is written in capitals", async () => {
    const { id, code } = await fresh()
    expect(await live.outcome(id.toUpperCase(), code)).toEqual(accepted)
    expect((await live.status(id.toUpperCase())).status).toBe("verified")
  })

  it("verifies, and the status says since when", async () => {
    const { id, code } = await fresh()
    expect(await live.outcome(id, code)).toEqual(accepted)
    expect(await live.status(id)).toMatchObject({
      status: "verified",
      verified_at: expect.stringMatching(timestamp),
      remaining_seconds: null
    })
  })

  it("is accepted once", async () => {
    const { id, code } = await fresh()
    expect(await live.outcome(id, code)).toEqual(accepted)
    const { verified_at } = await live.status(id)
    expect((await live.outcome(id, code)).reason).toBe("already_verified")
    expect((await live.status(id)).verified_at).toBe(verified_at)
  })

  it("may be typed with Persian or Arabic digits", async () => {
    const first = await fresh()
    const persian = first.code.replaceAll(/\d/g, (digit) => "۰۱۲۳۴۵۶۷۸۹".charAt(Number(digit)))
    expect(await live.outcome(first.id, persian)).toEqual(accepted)
    const second = await fresh()
    const arabic = second.code.replaceAll(/\d/g, (digit) => "٠١٢٣٤٥٦٧٨٩".charAt(Number(digit)))
    expect(await live.outcome(second.id, arabic)).toEqual(accepted)
  })

  it.each([
    ["marks of direction", (code: string) => `\u2066${code}\u2069`],
    ["a zero-width space and a byte order mark", (code: string) => `\ufeff${code}\u200b`],
    ["spaces around it", (code: string) => ` ${code}\u00a0\n`],
    ["a dash within it", (code: string) => `${code.slice(0, 3)}\u2013${code.slice(3)}`],
    ["a space within it", (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`]
  ])("may be pasted with %s, in the sandbox too", async (_, paste) => {
    const { id, code } = await fresh()
    expect(await live.outcome(id, paste(code))).toEqual(accepted)
    const trial = sandbox(server, server.demo.test_key)
    const { verification_id } = await trial.sent()
    expect(await trial.outcome(verification_id, paste("123456"))).toEqual(accepted)
  })

  it("is six digits long", async () => {
    expect((await fresh()).code).toMatch(/^\d{6}$/)
  })

  it("stops the fallback", async () => {
    const { id, code } = await sentCode(server, server.demo.live_key, { channels: ["sms", "bale"] })
    expect((await live.status(id)).remaining_seconds).toBeGreaterThan(0)
    expect(await live.outcome(id, code)).toEqual(accepted)
    expect((await live.status(id)).remaining_seconds).toBeNull()
  })

  it("still verifies after four wrong ones", async () => {
    const { id, code } = await fresh()
    await enterWrong(id, code, 4)
    expect(await live.outcome(id, code)).toEqual(accepted)
  })
})

describe("a wrong code", () => {
  it("is invalid_code and leaves the verification queued", async () => {
    const { id, code } = await fresh()
    await enterWrong(id, code, 1)
    expect(await live.status(id)).toMatchObject({ status: "queued", verified_at: null })
  })

  it("is also the right code of another verification of the same phone", async () => {
    const first = await fresh()
    const phone = first.phone
    const second = await sentCode(server, server.demo.live_key, { phone, channels: "bale" })
    expect(
      await live.outcome(first.id, first.code === second.code ? wrongCode(first.code) : second.code)
    ).toEqual(wrong(4))
    expect(await live.outcome(second.id, second.code)).toEqual(accepted)
  })

  it.each(["1", "0", "0123456789", "۱۲", " 12345"])("is also a code of another length: %s", async (other) => {
    const { id } = await fresh()
    expect(await live.outcome(id, other)).toEqual(wrong(4))
  })

  it("locks the verification at the fifth time, whose answer is still invalid_code", async () => {
    const { id, code } = await sentCode(server, server.demo.live_key, { channels: ["sms", "bale"] })
    await enterWrong(id, code, 4)
    expect((await live.status(id)).status).toBe("queued")
    expect(await live.outcome(id, wrongCode(code, 5))).toEqual(wrong(null))
    expect(await live.status(id)).toMatchObject({
      status: "locked",
      verified_at: null,
      remaining_seconds: null
    })
  })

  it("counts each time, also when it is the same", async () => {
    const { id, code } = await fresh()
    for (const left of [4, 3, 2, 1, null]) {
      expect(await live.outcome(id, wrongCode(code))).toEqual(wrong(left))
    }
    expect((await live.status(id)).status).toBe("locked")
  })

  it("does not undo a verification", async () => {
    const { id, code } = await fresh()
    expect(await live.outcome(id, code)).toEqual(accepted)
    for (let n = 1; n <= 6; n++) {
      expect(await live.outcome(id, wrongCode(code, n))).toEqual({
        verified: false,
        reason: "already_verified",
        tries_left: null
      })
    }
    expect((await live.status(id)).status).toBe("verified")
  })
})

describe("a locked verification", () => {
  it("takes no code any more, not even the right one", async () => {
    const { id, code } = await fresh()
    await enterWrong(id, code, 5)
    expect(await live.outcome(id, code)).toEqual(locked)
    expect(await live.outcome(id, wrongCode(code))).toEqual(locked)
    expect((await live.status(id)).status).toBe("locked")
  })
})

describe("a failed verification", () => {
  it("answers the reason failed", async () => {
    const customer = await customerWith(server, { bale: { outcome: "rejected" } })
    const api = otp(server, customer.live)
    const sent = await api.sent({ channels: "bale" })
    expect(await api.outcome(sent.verification_id, "123456")).toEqual({
      verified: false,
      reason: "failed",
      tries_left: null
    })
  })
})

describe("a code that is no code", () => {
  it.each([
    ["empty", ""],
    ["eleven digits", "12345678901"],
    ["letters", "12a456"],
    ["separators alone", " - "],
    ["format characters alone", "\u2066\u2069"],
    ["a dot within it", "123.456"]
  ])("is refused: %s", async (_, code) => {
    const { id } = await fresh()
    expect(issues(await live.verify(id, code))).toEqual(["body.code"])
  })

  it.each([123456, null, true, ["123456"]])("is refused: %j", async (code) => {
    expect(issues(await live.verify(unknownId, code))).toEqual(["body.code"])
  })

  it("is not counted", async () => {
    const { id, code } = await fresh()
    for (let n = 0; n < 8; n++) issues(await live.verify(id, "12a456"))
    await enterWrong(id, code, 4)
    expect(await live.outcome(id, code)).toEqual(accepted)
  })
})

describe("an id nobody has", () => {
  it("is 404 not_found for status and verify", async () => {
    refused(await live.read(unknownId), 404, "not_found")
    refused(await live.verify(unknownId, "123456"), 404, "not_found")
  })
})

describe("parallel verifies", () => {
  const reasons = async (id: string, codes: ReadonlyArray<string>) => {
    const replies = await Promise.all(codes.map((code) => live.verify(id, code)))
    return replies.map((reply) => ok<{ readonly reason: string }>(reply).reason)
  }
  const count = (all: ReadonlyArray<string>, reason: string) => all.filter((one) => one === reason).length

  it("compare at most five of 200 wrong codes", async () => {
    const { id, code } = await fresh()
    const all = await reasons(
      id,
      Array.from({ length: 200 }, (_, n) => wrongCode(code, n + 1))
    )
    expect({ invalid: count(all, "invalid_code"), locked: count(all, "locked") }).toEqual({
      invalid: 5,
      locked: 195
    })
    expect((await live.status(id)).status).toBe("locked")
    expect(await live.outcome(id, code)).toEqual(locked)
  })

  it("answer each wrong code with the tries that it left", async () => {
    const { id, code } = await fresh()
    const replies = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => live.verify(id, wrongCode(code, n))))
    const left = replies.map((reply) => ok<Outcome>(reply).tries_left ?? null)
    expect(left.toSorted()).toEqual([1, 2, 3, 4, null, null])
  })

  it("accept one of 100 right codes", async () => {
    const { id, code } = await fresh()
    const all = await reasons(
      id,
      Array.from({ length: 100 }, () => code)
    )
    expect({ ok: count(all, "ok"), again: count(all, "already_verified") }).toEqual({ ok: 1, again: 99 })
    expect((await live.status(id)).status).toBe("verified")
  })

  it("end in one state, whichever came first, when the right code is among 100 wrong ones", async () => {
    const { id, code } = await fresh()
    const codes = Array.from({ length: 100 }, (_, n) => wrongCode(code, n + 1)).toSpliced(3, 0, code)
    const all = await reasons(id, codes)
    const { status } = await live.status(id)
    expect(count(all, "invalid_code")).toBeLessThanOrEqual(5)
    expect(count(all, "ok")).toBe(status === "verified" ? 1 : 0)
    expect(["verified", "locked"]).toContain(status)
  })
})
