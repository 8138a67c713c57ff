import { beforeAll, describe, expect, it } from "vitest"
import { issues, ok, refused, sandbox, timestamp, unknownId } from "../Client.ts"
import { type ApiKey, type CreatedApiKey, done, type Manager, newManager, useKey } from "../ManagedSetUp.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"
import { callFrom, later, untilRefused } from "./ManagedKeys.ts"

let server: SharedServer
let mine: Manager
/** A key that was used before all tests: uses are recorded every half minute, and the last test reads this one. */
let used: CreatedApiKey
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
  used = await mine.newKey()
  await useKey(server, used.secret)
})

const read = (id: number) => mine.read<ApiKey>(`/api-keys/${id}`)
const now = () => Temporal.Now.instant()

describe("a rotation", () => {
  const rotate = async (id: number, body: object = {}) =>
    ok<CreatedApiKey>(await mine.post(`/api-keys/${id}/rotate`, body), 201)

  it("makes another key like the old one, which works until the overlap ends", async () => {
    const old = await mine.newKey({ name: "till", rate_limit_per_minute: 50, allowed_ips: ["127.0.0.1"] })
    const made = await rotate(old.id, { overlap_seconds: 4 })
    expect(made).toMatchObject({
      name: "till",
      mode: "live",
      rate_limit_per_minute: 50,
      allowed_ips: ["127.0.0.1"]
    })
    expect(made.id).not.toBe(old.id)
    expect(made.secret).not.toBe(old.secret)
    expect((await useKey(server, made.secret)).status).toBe(404)
    expect((await useKey(server, old.secret)).status).toBe(404)
    await untilRefused(server, old.secret)
    expect(await read(old.id)).toMatchObject({ status: "expired" })
    expect((await useKey(server, made.secret)).status).toBe(404)
  })

  it("without an overlap ends the old key at once", async () => {
    const old = await mine.newKey()
    expect((await useKey(server, old.secret)).status).toBe(404)
    const made = await rotate(old.id, { overlap_seconds: 0 })
    await untilRefused(server, old.secret)
    expect((await useKey(server, made.secret)).status).toBe(404)
    expect(await read(old.id)).toMatchObject({ status: "expired" })
  })

  it("leaves the old key a day where it does not say", async () => {
    const old = await mine.newKey()
    await rotate(old.id)
    const { expires_at } = await read(old.id)
    const left = Temporal.Instant.from(expires_at ?? "")
      .since(now())
      .total("hours")
    expect(left).toBeGreaterThan(23.9)
    expect(left).toBeLessThanOrEqual(24)
  })

  it("does not make the old key last longer than it would", async () => {
    const expires_at = later(60)
    const old = await mine.newKey({ expires_at })
    await rotate(old.id, { overlap_seconds: 3600 })
    expect(await read(old.id)).toMatchObject({ expires_at })
  })

  it("of a revoked key and of an expired one is a conflict", async () => {
    const revoked = await mine.newKey()
    done(await mine.delete(`/api-keys/${revoked.id}`))
    refused(await mine.post(`/api-keys/${revoked.id}/rotate`, {}), 409, "conflict")
    const expired = await mine.newKey({ expires_at: later(1) })
    await untilRefused(server, expired.secret)
    refused(await mine.post(`/api-keys/${expired.id}/rotate`, {}), 409, "conflict")
  })

  it("without an overlap, asked for many times at once, makes one key", async () => {
    const { id } = await mine.newKey()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => mine.post(`/api-keys/${id}/rotate`, { overlap_seconds: 0 }))
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
  })

  it.each([-1, 2_592_001, 1.5, "60"])("refuses an overlap of %s", async (overlap_seconds) => {
    const { id } = await mine.newKey()
    expect(issues(await mine.post(`/api-keys/${id}/rotate`, { overlap_seconds }))).toEqual([
      "body.overlap_seconds"
    ])
    expect(await read(id)).toMatchObject({ expires_at: null })
  })
})

describe("a key's limit of requests per minute", () => {
  it("admits as many as it says, and then none", async () => {
    const { secret } = await mine.newKey({ rate_limit_per_minute: 3 })
    for (let n = 0; n < 3; n++) expect((await useKey(server, secret)).status).toBe(404)
    const reply = await useKey(server, secret)
    refused(reply, 429, "too_many_requests_api_key")
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(reply.headers.get("ratelimit-policy")).toBe('"key";q=3;w=60')
  })

  it("takes effect when it is changed, and is none at 0", async () => {
    const { id, secret } = await mine.newKey({ rate_limit_per_minute: 1000 })
    const policy = async () => (await useKey(server, secret)).headers.get("ratelimit-policy")
    const untilPolicy = (expected: string | null) =>
      until(`the policy ${expected}`, async () => ((await policy()) === expected ? true : undefined), 10_000)
    await untilPolicy('"key";q=1000;w=60')
    ok(await mine.patch(`/api-keys/${id}`, { rate_limit_per_minute: 2000 }))
    await untilPolicy('"key";q=2000;w=60')
    ok(await mine.patch(`/api-keys/${id}`, { rate_limit_per_minute: 0 }))
    await untilPolicy(null)
    ok(await mine.patch(`/api-keys/${id}`, { rate_limit_per_minute: null }))
    await untilPolicy('"key";q=100000;w=60')
  })
})

describe("a key's networks", () => {
  it("refuse it from elsewhere, and only there", async () => {
    const elsewhere = await mine.newKey({ allowed_ips: ["10.0.0.0/8"] })
    refused(await callFrom(server, elsewhere.secret), 403, "ip_not_allowed")
    const here = await mine.newKey({ allowed_ips: ["10.0.0.0/8", "127.0.0.0/8"] })
    expect((await callFrom(server, here.secret)).status).toBe(404)
    const exact = await mine.newKey({ allowed_ips: ["127.0.0.1"] })
    expect((await callFrom(server, exact.secret)).status).toBe(404)
  })

  it("hold for a test key in the sandbox", async () => {
    const { secret } = await mine.newKey({ mode: "test", allowed_ips: ["10.0.0.0/8"] })
    refused(await sandbox(server, secret).read(unknownId), 403, "ip_not_allowed")
  })

  it("are not distinguished by a header that anybody can send", async () => {
    const { secret } = await mine.newKey({ allowed_ips: ["10.0.0.0/8"] })
    refused(await callFrom(server, secret, "10.1.1.1"), 403, "ip_not_allowed")
  })

  it("take effect when they are changed", async () => {
    const { id, secret } = await mine.newKey()
    expect((await useKey(server, secret)).status).toBe(404)
    ok(await mine.patch(`/api-keys/${id}`, { allowed_ips: ["10.0.0.0/8"] }))
    const untilStatus = (status: number) =>
      until(
        `the answer ${status}`,
        async () => ((await useKey(server, secret)).status === status ? true : undefined),
        10_000
      )
    await untilStatus(403)
    ok(await mine.patch(`/api-keys/${id}`, { allowed_ips: null }))
    await untilStatus(404)
  })

  it("may be all there are", async () => {
    const { secret } = await mine.newKey({ allowed_ips: ["0.0.0.0/0"] })
    expect((await useKey(server, secret)).status).toBe(404)
  })
})

describe("a key that was used", () => {
  it("says when it was used last, which is no change of it", async () => {
    const recorded = await until(
      "the use to be recorded",
      async () => {
        const key = await read(used.id)
        return key.last_used_at === null ? undefined : key
      },
      45_000
    )
    expect(recorded).toMatchObject({ last_used_at: expect.stringMatching(timestamp), version: 1 })
  }, 60_000)
})
