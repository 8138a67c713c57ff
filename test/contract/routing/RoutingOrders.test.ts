import { beforeAll, describe, expect, it } from "vitest"
import { issues, ok, otp, refused } from "../Client.ts"
import { etagOf, ifMatch, type Manager, newManager, type Routing } from "../ManagedSetUp.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let others: Manager
beforeAll(async () => {
  server = sharedServer()
  others = await newManager(server)
})

describe("the routing order", () => {
  let owner: Manager
  let bale: number
  beforeAll(async () => {
    owner = await newManager(server)
    bale = (await owner.newAccount("bale")).credential_id
    await owner.newAccount("sms")
  })
  const routing = (of = owner) => of.read<Routing>("/routing")
  const save = (steps: unknown, headers = {}) => owner.put("/routing", { steps }, headers)
  /** The save must fail with this, and change nothing. */
  const unsaved = async (steps: unknown, code: string) => {
    const before = await routing()
    const error = refused(await save(steps), 422, code)
    expect(await routing()).toEqual(before)
    return error.details
  }

  it("is empty, of version 0, where none is saved", async () => {
    const reply = await others.get("/routing")
    expect(ok(reply)).toEqual({ steps: [], version: 0 })
    expect(reply.headers.get("etag")).toBe(etagOf(0))
  })

  it("is as measured, with measured waits, if the customer wants that, and says so", async () => {
    const manager = await newManager(server)
    await Promise.all([manager.newAccount("bale"), manager.newAccount("sms")])
    const steps = [{ channel: "sms", wait: "measured" }, { channel: "bale" }]
    const measured = ok(await manager.put("/routing", { order: "measured", steps }))
    expect(measured).toEqual({ order: "measured", steps, version: 1 })
    expect(await routing(manager)).toEqual(measured)

    const { secret } = await manager.newKey()
    const { verification_id } = await otp(server, secret).sent()
    const shown = await manager.read<Readonly<Record<string, unknown>>>(`/verifications/${verification_id}`)
    expect(shown).toMatchObject({
      measured_routing: {
        explored: expect.any(Boolean),
        steps: expect.arrayContaining([
          { channel: "bale", conversion: expect.any(Number), codes: 0, verified: 0 }
        ])
      }
    })
    const named = await otp(server, secret).sent({ channels: ["sms"] })
    expect(await manager.read(`/verifications/${named.verification_id}`)).not.toHaveProperty(
      "measured_routing"
    )

    expect(ok(await manager.put("/routing", { steps }))).toEqual({ steps, version: 2 })
    refused(await manager.put("/routing", { order: "best", steps }), 422, "validation_error")
    refused(
      await manager.put("/routing", { steps: [{ channel: "sms", wait: "learnt" }] }),
      422,
      "validation_error"
    )
  })

  it("is saved whole, with a new version each time", async () => {
    const steps = [{ channel: "bale", account_id: bale, wait: 45 }, { channel: "sms" }]
    const reply = await save(steps)
    const saved = ok<Routing>(reply)
    expect(saved.steps).toEqual(steps)
    expect(reply.headers.get("etag")).toBe(etagOf(saved.version))
    expect(await routing()).toEqual(saved)
    const next = ok<Routing>(await save([{ channel: "sms" }]))
    expect(next).toEqual({ steps: [{ channel: "sms" }], version: saved.version + 1 })
    expect(await routing(others)).toEqual({ steps: [], version: 0 })
  })

  it("takes null for absent in a step", async () => {
    const reply = await save([{ channel: "bale", account_id: null, wait: null }])
    expect(ok<Routing>(reply).steps).toEqual([{ channel: "bale" }])
  })

  it.each(["fax", "", "SMS", "__proto__"])(
    "of the unknown channel %j is refused as an invalid channel",
    async (channel) => {
      await unsaved([{ channel: "sms" }, { channel }], "invalid_channel")
    }
  )

  it("of a channel that carries no codes is refused as an invalid channel", async () => {
    await unsaved([{ channel: "telegram" }], "invalid_channel")
  })

  it("over telegram with a bot only is refused as in a send, which says what is needed", async () => {
    const manager = await newManager(server)
    const { credential_id: id } = await manager.newAccount("telegram")
    expect(await manager.read(`/accounts/${id}`)).toMatchObject({ sends: ["messages"], last_error: null })
    const { secret } = await manager.newKey()
    for (const step of [{ channel: "telegram" }, { channel: "telegram", account_id: id }]) {
      const saved = refused(await manager.put("/routing", { steps: [step] }), 422, "channel_unavailable")
      expect(saved.details["reason"]).toContain("telegram_gateway")
      const sent = refused(await otp(server, secret).send({ channels: [step] }), 422, "channel_unavailable")
      expect(sent).toEqual(saved)
    }
  })

  it("of one channel twice is refused, even with different accounts", async () => {
    const { credential_id } = await owner.newAccount("bale")
    const twice = [
      { channel: "bale", account_id: bale },
      { channel: "bale", account_id: credential_id }
    ]
    expect(await unsaved(twice, "duplicate_channel")).toEqual({ channel: "bale" })
  })

  it("of nobody's account, of another customer's, and of one on another channel is refused", async () => {
    const { credential_id: foreign } = await others.newAccount("bale")
    for (const account_id of [2_147_483_647, foreign]) {
      await unsaved([{ channel: "bale", account_id }], "validation_error")
    }
    await unsaved([{ channel: "sms", account_id: bale }], "validation_error")
  })

  it.each([
    ["a wait that is too short", [{ channel: "sms", wait: 44 }], ["body.steps[0].wait"]],
    ["a wait that is too long", [{ channel: "sms", wait: 121 }], ["body.steps[0].wait"]],
    ["an account id that is no number", [{ channel: "bale", account_id: "1" }], ["body.steps[0].account_id"]],
    ["a step that is none", ["sms"], ["body.steps[0]"]],
    ["no list", "sms", ["body.steps"]],
    ["nothing", undefined, ["body.steps"]]
  ])("with %s is refused", async (_what, steps, paths) => {
    expect(issues(await save(steps))).toEqual(paths)
  })

  it("with an account id beyond what ids are is refused", async () => {
    await unsaved([{ channel: "bale", account_id: 99_999_999_999 }], "validation_error")
    await unsaved([{ channel: "bale", account_id: -1 }], "validation_error")
  })

  it("is guarded by If-Match", async () => {
    const { version } = ok<Routing>(await save([{ channel: "sms" }]))
    const next = ok<Routing>(await save([{ channel: "bale" }], ifMatch(version)))
    const stale = await save([{ channel: "sms" }], ifMatch(version))
    expect(refused(stale, 412, "precondition_failed").details).toEqual({ version: next.version })
    expect(await routing()).toEqual(next)
    ok(await save([{ channel: "sms" }], ifMatch("*")))
    expect(issues(await save([{ channel: "bale" }], ifMatch("x")))).toEqual(["headers.if-match"])
  })

  it("is first saved by one of many at once that all say version 0", async () => {
    const fresh = await newManager(server)
    const replies = await Promise.all(
      ["sms", "bale", "eitaa", "rubika"].map((channel) =>
        fresh.put("/routing", { steps: [{ channel }] }, ifMatch(0))
      )
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
  })

  it("never has an earlier version again: what was read before a removal is stale after it", async () => {
    const fresh = await newManager(server)
    const steps = (channel: string) => ({ steps: [{ channel }] })
    const { version } = ok<Routing>(await fresh.put("/routing", steps("sms")))
    ok(await fresh.put("/routing", { steps: [] }))
    ok(await fresh.put("/routing", steps("bale")))
    refused(await fresh.put("/routing", steps("eitaa"), ifMatch(version)), 412, "precondition_failed")
  })

  it("is removed by an empty list: a send has to name channels then", async () => {
    const { secret } = await owner.newKey()
    ok(await save([{ channel: "sms" }]))
    const untilAnswered = (status: number) =>
      until(
        `a send without channels to be answered ${status}`,
        async () => {
          const reply = await otp(server, secret).send()
          return reply.status === status ? reply : undefined
        },
        10_000
      )
    expect(ok(await untilAnswered(200))).toMatchObject({ current_attempt_channel: { type: "sms" } })
    const removed = ok<Routing>(await save([]))
    expect(removed.steps).toEqual([])
    refused(await untilAnswered(422), 422, "fallback_order_required")
    expect(await routing()).toEqual(removed)
  })
})
