import { beforeAll, describe, expect, it } from "vitest"
import { type HeaderSet, issues, ok, refused, request, sandbox, timestamp, unknownId } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import {
  type ApiKey,
  type CreatedApiKey,
  done,
  etagOf,
  ifMatch,
  type Manager,
  newManager,
  useKey
} from "../ManagedSetUp.ts"
import { type Server, startServer, until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

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
const later = (seconds: number) => now().add({ seconds }).toString({ smallestUnit: "millisecond" })

/** Changes reach every process within seconds. */
const untilRefused = (secret: string) =>
  until(
    "the key to be refused",
    async () => ((await useKey(server, secret)).status === 401 ? true : undefined),
    10_000
  )

describe("a new key", () => {
  it("is returned with its secret once, and from then on without it", async () => {
    const reply = await mine.post("/api-keys", { name: "the shop", mode: "live" })
    const { secret, ...record } = ok<CreatedApiKey>(reply, 201)
    expect(secret).toMatch(/^svc_live_[A-Za-z0-9_-]{43,}$/)
    expect(record).toEqual({
      id: expect.any(Number),
      name: "the shop",
      mode: "live",
      prefix: secret.slice(0, 12),
      last_four: secret.slice(-4),
      status: "active",
      rate_limit_per_minute: null,
      allowed_ips: null,
      created_at: expect.stringMatching(timestamp),
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      version: 1
    })
    expect(reply.headers.get("etag")).toBe(etagOf(1))
    expect(reply.headers.get("cache-control")).toBe("no-store")
    expect(await read(record.id)).toEqual(record)
    const { data } = await mine.read<List<ApiKey>>("/api-keys?limit=1")
    expect(data).toEqual([record])
  })

  it("is valid at once, in its mode only", async () => {
    const live = await mine.newKey()
    expect((await useKey(server, live.secret)).status).toBe(404)
    refused(await sandbox(server, live.secret).read(unknownId), 403, "live_key_not_allowed")
    const test = await mine.newKey({ mode: "test" })
    expect(test.secret).toMatch(/^svc_test_/)
    refused(await sandbox(server, test.secret).read(unknownId), 404, "not_found")
    refused(await useKey(server, test.secret), 403, "test_key_not_allowed")
  })

  it("takes an end, a limit and networks", async () => {
    const fields = {
      expires_at: later(3600),
      rate_limit_per_minute: 7,
      allowed_ips: ["10.0.0.0/8", "2001:db8::1"]
    }
    expect(await mine.newKey(fields)).toMatchObject(fields)
    expect(
      await mine.newKey({ expires_at: null, rate_limit_per_minute: null, allowed_ips: null })
    ).toMatchObject({
      expires_at: null,
      rate_limit_per_minute: null,
      allowed_ips: null
    })
  })

  it.each([
    ["no name", { name: undefined }, ["body.name"]],
    ["an empty name", { name: " " }, ["body.name"]],
    ["a name that is too long", { name: "x".repeat(101) }, ["body.name"]],
    ["a name that is no text", { name: 7 }, ["body.name"]],
    ["an unknown mode", { mode: "prod" }, ["body.mode"]],
    ["an end that is no time", { expires_at: "tomorrow" }, ["body.expires_at"]],
    ["a negative limit", { rate_limit_per_minute: -1 }, ["body.rate_limit_per_minute"]],
    ["a broken limit", { rate_limit_per_minute: 1.5 }, ["body.rate_limit_per_minute"]],
    ["no network in its list", { allowed_ips: [] }, expect.any(Array)],
    ["a name for a network", { allowed_ips: ["example.ir"] }, ["body.allowed_ips[0]"]],
    [
      "networks that are none",
      { allowed_ips: ["10.0.0.0/33", "10.0.0.1", "::/129"] },
      ["body.allowed_ips[0]", "body.allowed_ips[2]"]
    ],
    [
      "everything wrong",
      { name: "", mode: "x", expires_at: 1 },
      ["body.expires_at", "body.mode", "body.name"]
    ]
  ])("with %s is refused with all that is wrong", async (_what, fields, paths) => {
    expect(issues(await mine.post("/api-keys", { name: "x", mode: "live", ...fields }))).toEqual(paths)
  })

  it.each(["2020-01-01T00:00:00Z", "1999-12-31T23:59:59.999+03:30"])(
    "that ended in the past (%s) is refused",
    async (expires_at) => {
      const reply = await mine.post("/api-keys", { name: "x", mode: "live", expires_at })
      expect(issues(reply)).toEqual(["body.expires_at"])
      expect(
        (await mine.read<List<ApiKey>>("/api-keys?limit=100")).data.map(({ expires_at }) => expires_at)
      ).not.toContain(expires_at)
    }
  )

  it("is refused from its end on, and is expired then", async () => {
    const { id, secret } = await mine.newKey({ expires_at: later(2) })
    expect((await useKey(server, secret)).status).toBe(404)
    await untilRefused(secret)
    expect(await read(id)).toMatchObject({ status: "expired", revoked_at: null })
  })
})

describe("the list of keys", () => {
  let owner: Manager
  let all: ReadonlyArray<ApiKey>
  const idsOf = (keys: ReadonlyArray<ApiKey>) => keys.map(({ id }) => id)
  beforeAll(async () => {
    owner = await newManager(server)
    for (let n = 0; n < 4; n++) {
      await owner.newKey({ name: `live ${n}` })
      await owner.newKey({ name: `test ${n}`, mode: "test" })
    }
    const [first, second] = await Promise.all([owner.newKey(), owner.newKey({ expires_at: later(1) })])
    done(await owner.delete(`/api-keys/${first.id}`))
    await untilRefused(second.secret)
    all = (await owner.read<List<ApiKey>>("/api-keys?limit=100")).data
  })

  it("has every key once, the newest first, without secrets", () => {
    expect(all).toHaveLength(10)
    expect(idsOf(all)).toEqual(idsOf(all).toSorted((a, b) => b - a))
    expect(new Set(all.flatMap((key) => Object.keys(key)))).not.toContain("secret")
  })

  it.each(["active", "expired", "revoked"])("is filtered by status %s", async (status) => {
    const { data } = await owner.read<List<ApiKey>>(`/api-keys?status=${status}`)
    expect(idsOf(data)).toEqual(idsOf(all.filter((key) => key.status === status)))
    expect(data.length).toBe(status === "active" ? 8 : 1)
  })

  it.each(["live", "test"])("is filtered by mode %s", async (mode) => {
    const { data } = await owner.read<List<ApiKey>>(`/api-keys?mode=${mode}`)
    expect(idsOf(data)).toEqual(idsOf(all.filter((key) => key.mode === mode)))
  })

  it.each([
    ["/api-keys", 3],
    ["/api-keys", 5],
    ["/api-keys?mode=test", 1],
    ["/api-keys?status=active", 8]
  ])("comes in parts that make up the whole: %s by %i", async (path, limit) => {
    const parts = await owner.parts<ApiKey>(path, limit)
    for (const part of parts.slice(0, -1)) expect(part).toHaveLength(limit)
    expect(parts.at(-1)).not.toHaveLength(0)
    expect(parts.flat()).toEqual(
      (await owner.read<List<ApiKey>>(`${path}${path.includes("?") ? "&" : "?"}limit=100`)).data
    )
  })

  it("keeps its place while keys are made", async () => {
    const first = await owner.read<List<ApiKey>>("/api-keys?limit=4")
    const { id } = await owner.newKey()
    done(await owner.delete(`/api-keys/${id}`))
    const rest = await owner.read<List<ApiKey>>(`/api-keys?limit=100&cursor=${first.next_cursor}`)
    expect(idsOf([...first.data, ...rest.data])).toEqual(idsOf(all))
  })

  it.each(["x", "%00", "9".repeat(400), "LTE", "%D8%B3", "a b"])("refuses the cursor %s", async (cursor) => {
    expect(issues(await owner.get(`/api-keys?cursor=${cursor}&limit=100`))).toEqual(["query.cursor"])
  })

  it.each(["0", "101", "abc", "-1", "1.5", ""])("refuses the limit %s", async (limit) => {
    expect(new Set(issues(await owner.get(`/api-keys?limit=${limit}`)))).toEqual(new Set(["query.limit"]))
  })

  it("refuses a status and a mode that are none", async () => {
    expect(issues(await owner.get("/api-keys?status=on&mode=both"))).toEqual(["query.mode", "query.status"])
  })

  it("has 20 keys in a part that says no limit", async () => {
    const many = await newManager(server)
    await Promise.all(Array.from({ length: 21 }, () => many.newKey()))
    const page = await many.read<List<ApiKey>>("/api-keys")
    expect(page.data).toHaveLength(20)
    const rest = await many.read<List<ApiKey>>(`/api-keys?cursor=${page.next_cursor}`)
    expect(rest).toMatchObject({ data: [{}], next_cursor: null })
  })
})

describe("a change of a key", () => {
  it("changes what it names and keeps the rest, with a new version", async () => {
    const { secret, ...key } = await mine.newKey({ rate_limit_per_minute: 9 })
    const reply = await mine.patch(`/api-keys/${key.id}`, { name: "till" })
    expect(ok(reply)).toEqual({ ...key, name: "till", version: 2 })
    expect(reply.headers.get("etag")).toBe(etagOf(2))
    const got = await mine.get(`/api-keys/${key.id}`)
    expect(ok(got)).toEqual({ ...key, name: "till", version: 2 })
    expect(got.headers.get("etag")).toBe(etagOf(2))
    expect(secret).not.toBe("")
  })

  it("takes null for back to the default", async () => {
    const { id } = await mine.newKey({ rate_limit_per_minute: 9, allowed_ips: ["127.0.0.1"] })
    const reply = await mine.patch(`/api-keys/${id}`, { rate_limit_per_minute: null, allowed_ips: null })
    expect(ok(reply)).toMatchObject({ rate_limit_per_minute: null, allowed_ips: null })
  })

  it("takes null for absent where there is no default", async () => {
    const { id } = await mine.newKey({ name: "kept" })
    expect(ok(await mine.patch(`/api-keys/${id}`, { name: null }))).toMatchObject({ name: "kept" })
  })

  it("refuses what cannot be changed, and names it", async () => {
    const { id } = await mine.newKey()
    const body = { mode: "test", status: "revoked", secret: "x", prefix: "x", id: 1, version: 9 }
    const refused = issues(await mine.patch(`/api-keys/${id}`, body))
    expect(refused.toSorted()).toEqual(
      Object.keys(body)
        .map((field) => `body.${field}`)
        .toSorted()
    )
    expect(await read(id)).toMatchObject({ id, mode: "live", status: "active", version: 1 })
  })

  it.each([
    ["an empty name", { name: "" }, ["body.name"]],
    ["a negative limit", { rate_limit_per_minute: -1 }, ["body.rate_limit_per_minute"]],
    ["no network", { allowed_ips: [] }, expect.any(Array)],
    ["what is no network", { allowed_ips: ["x"] }, ["body.allowed_ips[0]"]]
  ])("to %s is refused", async (_what, change, paths) => {
    const { id } = await mine.newKey()
    expect(issues(await mine.patch(`/api-keys/${id}`, change))).toEqual(paths)
    expect(await read(id)).toMatchObject({ version: 1 })
  })

  it("is made if the version is the one that If-Match says", async () => {
    const { id, version } = await mine.newKey()
    expect(ok(await mine.patch(`/api-keys/${id}`, { name: "a" }, ifMatch(version)))).toMatchObject({
      version: 2
    })
    expect(ok(await mine.patch(`/api-keys/${id}`, { name: "b" }, ifMatch(2)))).toMatchObject({ name: "b" })
  })

  it("is refused with the version that there is, if If-Match says another", async () => {
    const { id } = await mine.newKey({ name: "kept" })
    ok(await mine.patch(`/api-keys/${id}`, { rate_limit_per_minute: 5 }))
    const { details } = refused(
      await mine.patch(`/api-keys/${id}`, { name: "x" }, ifMatch(1)),
      412,
      "precondition_failed"
    )
    expect(details).toEqual({ version: 2 })
    expect(await read(id)).toMatchObject({ name: "kept", version: 2 })
  })

  it("is made whatever the version for If-Match: *", async () => {
    const { id } = await mine.newKey()
    ok(await mine.patch(`/api-keys/${id}`, { name: "a" }))
    expect(ok(await mine.patch(`/api-keys/${id}`, { name: "b" }, ifMatch("*")))).toMatchObject({ name: "b" })
  })

  it.each(["1", '"x"', '"1', "", '"1", "2"', '"-1"', '"99999999999999999999"'])(
    "is refused for the If-Match %s, which is no ETag",
    async (value) => {
      const { id } = await mine.newKey()
      expect(issues(await mine.patch(`/api-keys/${id}`, { name: "x" }, ifMatch(value)))).toEqual([
        "headers.if-match"
      ])
      expect(await read(id)).toMatchObject({ version: 1 })
    }
  )

  it("is one of many at once, if all say the same version", async () => {
    const { id } = await mine.newKey()
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => mine.patch(`/api-keys/${id}`, { name: `name ${n}` }, ifMatch(1)))
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
    expect(await read(id)).toMatchObject({ version: 2 })
  })
})

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
    await untilRefused(old.secret)
    expect(await read(old.id)).toMatchObject({ status: "expired" })
    expect((await useKey(server, made.secret)).status).toBe(404)
  })

  it("without an overlap ends the old key at once", async () => {
    const old = await mine.newKey()
    expect((await useKey(server, old.secret)).status).toBe(404)
    const made = await rotate(old.id, { overlap_seconds: 0 })
    await untilRefused(old.secret)
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
    await untilRefused(expired.secret)
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

describe("a revoked key", () => {
  it("is refused within seconds, stays in the list, and can be revoked again", async () => {
    const { id, secret } = await mine.newKey()
    expect((await useKey(server, secret)).status).toBe(404)
    done(await mine.delete(`/api-keys/${id}`))
    await untilRefused(secret)
    const revoked = await read(id)
    expect(revoked).toMatchObject({ status: "revoked", revoked_at: expect.stringMatching(timestamp) })
    done(await mine.delete(`/api-keys/${id}`))
    expect(await read(id)).toMatchObject({ revoked_at: revoked.revoked_at })
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

const callFrom = (target: Pick<Server, "url">, secret: string, forwarded?: string) =>
  request(target, "GET", `/v1/otp/${unknownId}`, {
    headers: { "x-api-key": secret, "x-forwarded-for": forwarded } satisfies HeaderSet
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

  it("are distinguished by what the trusted proxy appended to X-Forwarded-For, whatever stood there before", async () => {
    const behind = await startServer({ env: { PEYK_TRUSTED_PROXIES: "1" } })
    try {
      const owner = await newManager(behind)
      const { id, secret } = await owner.newKey({ allowed_ips: ["10.0.0.0/8"] })
      expect((await callFrom(behind, secret, "10.1.1.1")).status).toBe(404)
      expect((await callFrom(behind, secret, "203.0.113.9, 10.1.1.1")).status).toBe(404)
      refused(await callFrom(behind, secret, "10.1.1.1, 203.0.113.9"), 403, "ip_not_allowed")
      refused(await callFrom(behind, secret, "203.0.113.9"), 403, "ip_not_allowed")
      refused(await callFrom(behind, secret), 403, "ip_not_allowed")
      refused(await callFrom(behind, secret, "10.1.1.1, nonsense"), 403, "ip_not_allowed")
      const forwarded = { "x-forwarded-for": "10.1.1.1, 198.51.100.7" }
      ok(await owner.patch(`/api-keys/${id}`, { name: "audited" }, forwarded))
      expect((await owner.audit("&action=api_key.update")).map(({ ip }) => ip)).toEqual(["198.51.100.7"])
    } finally {
      await behind.stop()
    }
  }, 120_000)
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
