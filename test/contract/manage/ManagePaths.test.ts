import { beforeAll, describe, expect, it } from "vitest"
import { issues, ok, refused, request } from "../Client.ts"
import {
  type Account,
  type ApiKey,
  etagOf,
  type Manager,
  newManager,
  type Template
} from "../ManagedSetUp.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let mine: Manager
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
})

describe("the paths of the set-up", () => {
  const methods: ReadonlyArray<readonly [path: string, allowed: ReadonlyArray<string>]> = [
    ["/api-keys", ["GET", "HEAD", "POST"]],
    ["/api-keys/1", ["DELETE", "GET", "HEAD", "PATCH"]],
    ["/api-keys/1/rotate", ["POST"]],
    ["/accounts", ["GET", "HEAD", "POST"]],
    ["/accounts/1", ["DELETE", "GET", "HEAD", "PATCH"]],
    ["/accounts/1/check", ["POST"]],
    ["/accounts/1/inbox", ["GET", "HEAD"]],
    ["/accounts/1/inbox/rotate", ["POST"]],
    ["/accounts/1/contacts", ["GET", "HEAD", "PUT"]],
    ["/accounts/1/standby", ["PUT"]],
    ["/accounts/1/contacts/09121111111", ["DELETE"]],
    ["/routing", ["GET", "HEAD", "PUT"]],
    ["/templates", ["GET", "HEAD", "POST"]],
    ["/templates/1", ["DELETE", "GET", "HEAD", "PATCH"]]
  ]

  it.each(methods)("%s answers 405 to other methods, and says which it has", async (path, allowed) => {
    const known = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    for (const method of known.filter((each) => !allowed.includes(each))) {
      const reply = await mine.call(method, path)
      refused(reply, 405, "method_not_allowed")
      expect(reply.headers.get("allow")?.split(/, */).sort()).toEqual([...allowed, "OPTIONS"].sort())
    }
  })

  it("answer 405 before anything is asked of the credential", async () => {
    refused(await request(server, "DELETE", "/v1/manage/api-keys"), 405, "method_not_allowed")
  })

  it.each([
    "/x",
    "/api-keys/1/x",
    "/accounts/1/contacts/1/2",
    "/routing/1",
    "/templates/1/rotate",
    "/api-keys/",
    "/API-KEYS"
  ])("answer 404 where there is none: %s", async (path) => {
    refused(await mine.get(path), 404, "not_found")
    refused(await mine.post(path, {}), 404, "not_found")
  })

  it.each(["/api-keys", "/accounts", "/routing", "/templates"])(
    "answer HEAD of %s as GET, without a body",
    async (path) => {
      const got = await mine.get(path)
      const head = await mine.call("HEAD", path)
      expect([head.status, head.text]).toEqual([200, ""])
      expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"))
      expect(head.headers.get("etag")).toBe(got.headers.get("etag"))
    }
  )

  it("answer HEAD of one resource as GET, without a body", async () => {
    const { id } = await mine.newTemplate("x")
    const head = await mine.call("HEAD", `/templates/${id}`)
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etagOf(1)])
    expect((await mine.call("HEAD", "/templates/2147483647")).status).toBe(404)
  })

  it.each([
    "x",
    "0",
    "-1",
    "1.5",
    "1e3",
    "01",
    "2147483648",
    "99999999999999999999",
    "%00",
    "%D9%A1",
    "null"
  ])("answer 404 for the id %s", async (id) => {
    for (const path of ["api-keys", "accounts", "templates"]) {
      refused(await mine.get(`/${path}/${id}`), 404, "not_found")
      refused(
        await mine.patch(`/${path}/${id}`, path === "accounts" ? { label: "x" } : { name: "x" }),
        404,
        "not_found"
      )
    }
    refused(await mine.delete(`/api-keys/${id}`), 404, "not_found")
  })

  let key: ApiKey
  let bale: Account
  let template: Template
  beforeAll(async () => {
    ;[key, bale, template] = await Promise.all([
      mine.newKey(),
      mine.newAccount("bale"),
      mine.newTemplate("x")
    ])
  })
  const needsBody: ReadonlyArray<readonly [method: string, path: () => string]> = [
    ["POST", () => "/api-keys"],
    ["PATCH", () => `/api-keys/${key.id}`],
    ["POST", () => "/accounts"],
    ["PATCH", () => `/accounts/${bale.credential_id}`],
    ["PUT", () => `/accounts/${bale.credential_id}/contacts`],
    ["PUT", () => "/routing"],
    ["POST", () => "/templates"],
    ["PATCH", () => `/templates/${template.id}`]
  ]
  const withBody = [...needsBody, ["POST", () => `/api-keys/${key.id}/rotate`] as const]
  const raw = (method: string, path: string, contentType: string | undefined, body: string) =>
    request(server, method, `/v1/manage${path}`, {
      headers: { authorization: `apikey ${mine.token}`, "content-type": contentType },
      body
    })

  it.each(withBody)("take no body that is not JSON: %s %s", async (method, path) => {
    for (const body of ["{", "[1", "{'a':1}", "[]", "7", '"text"']) {
      issues(await raw(method, path(), "application/json", body))
    }
  })

  it.each(needsBody)("need a body: %s %s", async (method, path) => {
    for (const body of ["", "null"]) issues(await raw(method, path(), "application/json", body))
  })

  it.each(withBody)("take no body of another type: %s %s", async (method, path) => {
    for (const contentType of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      undefined
    ]) {
      refused(await raw(method, path(), contentType, "{}"), 415, "unsupported_media_type")
    }
  })

  it.each(withBody)("take no body of more than 64 KiB: %s %s", async (method, path) => {
    const body = JSON.stringify({ name: "x".repeat(65_536) })
    refused(await raw(method, path(), "application/json", body), 413, "payload_too_large")
  })

  it("take JSON with a charset", async () => {
    const reply = await raw(
      "POST",
      "/templates",
      "application/json; charset=utf-8",
      '{"name":"x","body":"x"}'
    )
    ok(reply, 201)
  })
})
