import { beforeAll, describe, expect, it } from "vitest"
import { issues, ok, refused, sandbox, timestamp, unknownId } from "../Client.ts"
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
import { type SharedServer, sharedServer } from "../SharedServer.ts"
import { later, untilRefused } from "./ManagedKeys.ts"

let server: SharedServer
let mine: Manager
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
})

const read = (id: number) => mine.read<ApiKey>(`/api-keys/${id}`)

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
    await untilRefused(server, secret)
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
    await untilRefused(server, second.secret)
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

describe("a revoked key", () => {
  it("is refused within seconds, stays in the list, and can be revoked again", async () => {
    const { id, secret } = await mine.newKey()
    expect((await useKey(server, secret)).status).toBe(404)
    done(await mine.delete(`/api-keys/${id}`))
    await untilRefused(server, secret)
    const revoked = await read(id)
    expect(revoked).toMatchObject({ status: "revoked", revoked_at: expect.stringMatching(timestamp) })
    done(await mine.delete(`/api-keys/${id}`))
    expect(await read(id)).toMatchObject({ revoked_at: revoked.revoked_at })
  })
})
