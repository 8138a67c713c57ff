import { beforeAll, describe, expect, it } from "vitest"
import { newKey, ok, refused } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import { newEmail } from "../Manager.ts"
import {
  type ApiKey,
  type CreatedApiKey,
  done,
  type Manager,
  newManager,
  useKey,
  withKey
} from "../ManagedSetUp.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let mine: Manager
let others: Manager
beforeAll(async () => {
  server = sharedServer()
  ;[mine, others] = await Promise.all([newManager(server), newManager(server)])
})

describe("a creation with an Idempotency-Key", () => {
  const account = { channel: "bale", provider: "simulator", label: "Once", settings: {} }
  const creations: ReadonlyArray<readonly [path: string, body: object, other: object, action: string]> = [
    ["/api-keys", { name: "once", mode: "live" }, { name: "twice", mode: "live" }, "api_key.create"],
    ["/accounts", account, { ...account, label: "Twice" }, "account.connect"],
    ["/templates", { name: "once", body: "{{code}}" }, { name: "once", body: "other" }, "template.create"]
  ]
  const count = async (of: Manager, path: string) =>
    (await of.read<List<unknown>>(`${path}?limit=100`)).data.length
  const lines = async (of: Manager, action: string) => (await of.audit(`&action=${action}`)).length

  it.each(creations)(
    "of %s makes one, and answers the same again, with its secret",
    async (path, body, other, action) => {
      const owner = await newManager(server)
      const key = newKey()
      const first = await owner.post(path, body, withKey(key))
      expect(first.headers.get("idempotency-replayed")).toBeNull()
      const reordered = Object.fromEntries(Object.entries(body).toReversed())
      for (const again of [body, reordered]) {
        const reply = await owner.post(path, again, withKey(key))
        expect(ok(reply, 201)).toEqual(ok(first, 201))
        expect(reply.headers.get("idempotency-replayed")).toBe("true")
      }
      refused(await owner.post(path, other, withKey(key)), 409, "idempotency_key_conflict")
      expect(await count(owner, path)).toBe(1)
      expect(await lines(owner, action)).toBe(1)
      const next = await owner.post(path, body, withKey())
      expect(next.headers.get("idempotency-replayed")).toBeNull()
      expect(await count(owner, path)).toBe(2)
      if (path === "/api-keys") {
        const { secret } = ok<CreatedApiKey>(first, 201)
        expect((await useKey(server, secret)).status).toBe(404)
      }
    }
  )

  it("of a webhook is looked for before the address is checked", async () => {
    const owner = await newManager(server)
    const hook = { url: "https://example.com/hook", events: ["*"] }
    const key = newKey()
    ok(await owner.post("/webhooks", hook, withKey(key)), 201)
    const refusedUrl = { ...hook, url: "https://user:secret@example.com/hook" }
    refused(await owner.post("/webhooks", refusedUrl, withKey(key)), 409, "idempotency_key_conflict")
  })

  it("of a user is the same with another password, which nothing of it is kept of", async () => {
    const owner = await newManager(server)
    const user = { email: newEmail("viewer"), name: "Sara", role: "viewer" }
    const headers = withKey()
    const made = await owner.post("/users", { ...user, password: "correct horse battery" }, headers)
    const again = await owner.post("/users", { ...user, password: "another horse battery" }, headers)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(ok(again, 201)).toEqual(ok(made, 201))
    expect(made.text).not.toContain("horse")
    expect(JSON.stringify(await owner.audit("&action=user."))).not.toContain("horse")
    const other = { ...user, name: "Ali", password: "correct horse battery" }
    refused(await owner.post("/users", other, headers), 409, "idempotency_key_conflict")
  })

  it("of a replay of one event is another than that of all events", async () => {
    const owner = await newManager(server)
    const hook = { url: "https://example.com/hook", events: ["*"] }
    const { id } = ok<{ id: number }>(await owner.post("/webhooks", hook, withKey()), 201)
    const { event_id } = ok<{ event_id: string }>(
      await owner.post(`/webhooks/${id}/test`, undefined, withKey()),
      202
    )
    const key = newKey()
    ok(await owner.post(`/webhooks/${id}/deliveries/${event_id}/replay`, undefined, withKey(key)), 202)
    const since = { since: "2026-01-01T00:00:00Z" }
    ok(await owner.post(`/webhooks/${id}/replay`, since, withKey(key)), 202)
  })

  it.each(creations)("of %s is one of twenty at once", async (path, body, _other, action) => {
    const owner = await newManager(server)
    const headers = withKey()
    const replies = await Promise.all(Array.from({ length: 20 }, () => owner.post(path, body, headers)))
    const bodies = new Set(replies.map((reply) => JSON.stringify(ok(reply, 201))))
    expect(bodies.size).toBe(1)
    const replayed = replies.filter(({ headers }) => headers.get("idempotency-replayed") === "true")
    expect(replayed).toHaveLength(19)
    expect(await count(owner, path)).toBe(1)
    expect(await lines(owner, action)).toBe(1)
  })

  it.each(creations)("of %s is refused with a key of more than 255 characters", async (path, body) => {
    const owner = await newManager(server)
    refused(await owner.post(path, body, withKey("k".repeat(256))), 400, "idempotency_key_too_long")
    expect(await count(owner, path)).toBe(0)
    ok(await owner.post(path, body, withKey("k".repeat(255))), 201)
  })

  it.each(creations)("of %s is refused for its key before its body is looked at", async (path) => {
    refused(await mine.post(path, { name: 1 }, withKey("k".repeat(256))), 400, "idempotency_key_too_long")
  })

  it("shares its key with no other operation and no other customer", async () => {
    const headers = withKey()
    const key = { name: "same", mode: "live" }
    for (const [path, body] of creations) ok(await mine.post(path, body, headers), 201)
    const { id } = await mine.newKey()
    ok(await mine.post(`/api-keys/${id}/rotate`, {}, headers), 201)
    const one = ok<CreatedApiKey>(await mine.post("/api-keys", key, withKey("shared")), 201)
    const other = await others.post("/api-keys", key, withKey("shared"))
    expect(other.headers.get("idempotency-replayed")).toBeNull()
    expect(ok<CreatedApiKey>(other, 201).secret).not.toBe(one.secret)
  })

  it("that failed is not kept: the same key can be used again", async () => {
    const headers = withKey()
    const past = { name: "x", mode: "live", expires_at: "2020-01-01T00:00:00Z" }
    refused(await mine.post("/api-keys", past, headers), 422, "validation_error")
    const reply = await mine.post("/api-keys", { name: "x", mode: "live" }, headers)
    ok(reply, 201)
    expect(reply.headers.get("idempotency-replayed")).toBeNull()
  })

  it("is answered with what it made then, and that it was revoked since", async () => {
    const headers = withKey()
    const body = { name: "short-lived", mode: "live" }
    const first = ok<CreatedApiKey>(await mine.post("/api-keys", body, headers), 201)
    done(await mine.delete(`/api-keys/${first.id}`))
    const { status, revoked_at } = await mine.read<ApiKey>(`/api-keys/${first.id}`)
    expect(status).toBe("revoked")
    expect(ok(await mine.post("/api-keys", body, headers), 201)).toEqual({ ...first, status, revoked_at })
  })

  it("of a rotation rotates once", async () => {
    const { id } = await mine.newKey()
    const headers = withKey()
    const rotate = (of: number, body: object = {}) => mine.post(`/api-keys/${of}/rotate`, body, headers)
    const first = ok<CreatedApiKey>(await rotate(id, { overlap_seconds: 0 }), 201)
    const again = await rotate(id, { overlap_seconds: 0 })
    expect(ok(again, 201)).toEqual(first)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    refused(await rotate(id, { overlap_seconds: 1 }), 409, "idempotency_key_conflict")
    refused(await rotate(first.id, { overlap_seconds: 0 }), 409, "idempotency_key_conflict")
  })

  it("that says nothing makes another each time", async () => {
    const owner = await newManager(server)
    const body = { name: "same", mode: "live" }
    const made = [await owner.newKey(body), await owner.newKey(body)]
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(2)
    ok(await owner.post("/api-keys", body, withKey("")), 201)
    ok(await owner.post("/api-keys", body, withKey("")), 201)
    expect(await count(owner, "/api-keys")).toBe(4)
  })
})
