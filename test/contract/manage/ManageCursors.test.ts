import { beforeAll, describe, expect, it } from "vitest"
import { issues, newPhone, ok, otp, refused } from "../Client.ts"
import { manage, newToken, newUser } from "../Manager.ts"
import { type Demo } from "../Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

interface Part {
  readonly data: ReadonlyArray<unknown>
  readonly next_cursor: string | null
}

let server: SharedServer
let owner: string
const get = (path: string) => manage(server, "GET", path, { authorization: owner })
const post = (path: string, body: unknown) => manage(server, "POST", path, { authorization: owner }, body)
const withCursor = (path: string, cursor: string) =>
  get(`${path}?limit=1&cursor=${encodeURIComponent(cursor)}`)

/** Filled in before the tests. */
let paths: Readonly<Record<string, string>> = {}
let otherWebhook = 0
let otherAccount = 0

beforeAll(async () => {
  server = await sharedServerWithDemo()
  const { token } = server.demo as Demo & { readonly token: string }
  owner = `apikey ${token}`
  const account = {
    channel: "bale",
    provider: "bale_bot",
    label: "bot",
    settings: { token: "1:x" },
    check: false
  }
  const { credential_id } = ok<{ credential_id: number }>(await post("/accounts", account), 201)
  const other = { ...account, label: "another bot", settings: { token: "2:x" } }
  otherAccount = ok<{ credential_id: number }>(await post("/accounts", other), 201).credential_id
  const contacts = [newPhone(), newPhone(), newPhone()].map((phone, n) => ({ phone, chat_id: String(n) }))
  ok(
    await manage(server, "PUT", `/accounts/${credential_id}/contacts`, { authorization: owner }, { contacts })
  )
  const hook = { url: "http://127.0.0.1:9/", events: ["*"] }
  const { id } = ok<{ id: number }>(await post("/webhooks", hook), 201)
  otherWebhook = ok<{ id: number }>(await post("/webhooks", hook), 201).id
  for (const name of ["one", "two"]) {
    ok(await post("/templates", { name, body: "{{code}}" }), 201)
    await newToken(server, owner, "full")
    await newUser(server, owner, "viewer")
    await server.cli("wallet", "top-up", "--customer", String(server.demo.customer_id), "--amount", "10")
  }
  for (const _ of [1, 2]) {
    ok(await otp(server, server.demo.live_key).send({ channels: "bale" }))
    const message = { to: newPhone(), message: "hello", channels: ["bale"], delay: "1d" }
    const sent = await fetch(`${server.url}/v1/messages/send`, {
      method: "POST",
      headers: { "x-api-key": server.demo.live_key, "content-type": "application/json" },
      body: JSON.stringify(message)
    })
    expect(sent.status).toBe(201)
  }
  paths = {
    accounts: "/accounts",
    contacts: `/accounts/${credential_id}/contacts`,
    "service keys": "/api-keys",
    tokens: "/tokens",
    users: "/users",
    templates: "/templates",
    webhooks: "/webhooks",
    deliveries: `/webhooks/${id}/deliveries`,
    verifications: "/verifications",
    messages: "/messages",
    "the audit log": "/audit-log",
    "the ledger": "/wallet/ledger",
    "the wallet's holds": "/wallet/holds"
  }
})

const encoded = (position: string) => Buffer.from(position).toString("base64url")
const NONE = [
  "",
  "x",
  "\u0000",
  encoded(""),
  encoded("0"),
  encoded("1_2"),
  encoded("' or 1"),
  "9".repeat(400)
]

describe("a cursor", () => {
  it.each([
    "accounts",
    "contacts",
    "service keys",
    "tokens",
    "users",
    "templates",
    "webhooks",
    "deliveries",
    "verifications",
    "messages",
    "the audit log",
    "the ledger",
    "the wallet's holds"
  ])("of %s is refused when it is none, and goes on where it is one", async (list) => {
    const path = paths[list] ?? ""
    for (const cursor of NONE) expect(issues(await withCursor(path, cursor))).toEqual(["query.cursor"])
    const first = ok<Part>(await get(`${path}?limit=1`))
    expect(first.next_cursor).toBeTypeOf("string")
    const cursor = first.next_cursor ?? ""
    const second = ok<Part>(await withCursor(path, cursor))
    expect(second.data).toHaveLength(1)
    expect(second.data).not.toEqual(first.data)
    for (const changed of [`${cursor}=`, ` ${cursor}`, `${cursor}!`])
      expect(issues(await withCursor(path, changed))).toEqual(["query.cursor"])
  })

  it("of one list is refused by every other", async () => {
    const cursors = new Map<string, string>()
    for (const [list, path] of Object.entries(paths)) {
      const { next_cursor } = ok<Part>(await get(`${path}?limit=1`))
      cursors.set(list, next_cursor ?? "")
    }
    const accepted: Array<string> = []
    for (const [list, cursor] of cursors) {
      for (const [other, path] of Object.entries(paths)) {
        if (other === list) continue
        const reply = await withCursor(path, cursor)
        if (reply.status === 422) expect(issues(reply)).toEqual(["query.cursor"])
        else accepted.push(`${list} by ${other}: ${reply.status}`)
      }
    }
    expect(accepted).toEqual([])
  })

  it.each([
    { list: "deliveries", path: () => `/webhooks/${otherWebhook}/deliveries` },
    { list: "contacts", path: () => `/accounts/${otherAccount}/contacts` }
  ])("of the $list of one is refused by another's", async ({ list, path }) => {
    const { next_cursor } = ok<Part>(await get(`${paths[list]}?limit=1`))
    const reply = await withCursor(path(), next_cursor ?? "")
    refused(reply, 422, "validation_error")
    expect(issues(reply)).toEqual(["query.cursor"])
  })
})
