import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import { dereference, type JsonObject, objectAt, operations } from "../../http/OpenApiDocument.ts"
import { newPhone, type Reply, request } from "../Client.ts"
import { type Server, startServer } from "../Server.ts"

const document: unknown = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8"))

interface ShownRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
  /** The first choice of each part of the path that has choices. */
  readonly choices: Readonly<Record<string, unknown>>
}

const choicesOf = (operation: JsonObject): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    ((operation["parameters"] ?? []) as ReadonlyArray<unknown>)
      .map((each) => dereference(document, each))
      .flatMap(({ name, schema }) => {
        const values = dereference(document, schema)["enum"]
        return Array.isArray(values) ? [[String(name), values[0]]] : []
      })
  )

/** Every example of a request in the document, in its order: users are made before they sign in. */
const shown: ReadonlyArray<ShownRequest> = [...operations(document)].flatMap(([endpoint, operation]) => {
  const [method = "", path = ""] = endpoint.split(" ")
  const { requestBody } = operation
  if (requestBody === undefined) return []
  const content = objectAt(dereference(document, requestBody), "content", "application/json")
  return Object.entries(objectAt(content, "examples")).map(([name, example]) => ({
    id: String(operation["operationId"]),
    method: method.toUpperCase(),
    path,
    name,
    body: objectAt(example, "value"),
    choices: choicesOf(operation)
  }))
})

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true" } })
})
afterAll(() => server?.stop())

const headersOf = (path: string): Record<string, string> => {
  const json = { "content-type": "application/json" }
  if (path.startsWith("/v1/manage")) return { ...json, authorization: `Bearer ${server.demo.token}` }
  if (path.startsWith("/v1/auth")) return json
  const key = path.startsWith("/v1/sandbox") ? server.demo.test_key : server.demo.live_key
  return { ...json, "x-api-key": key, "idempotency-key": crypto.randomUUID() }
}

const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
  request(server, method, path, {
    headers: headersOf(path),
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const fieldOf = (answer: Reply, field: string): unknown => {
  expect(answer.status, answer.text).toBeLessThan(300)
  return JSON.parse(answer.text)[field]
}

/** An account that has contacts and an inbox. */
const bot = { channel: "bale", provider: "bale_bot", settings: { token: "1234567:made-up" }, check: false }

/** A new resource of the kind that a path names, for its id. */
const newId = async (path: string): Promise<unknown> => {
  const create = (to: string, body: unknown, field = "id") =>
    send("POST", to, body).then((answer) => fieldOf(answer, field))
  const unique = crypto.randomUUID()
  if (path.includes("/api-keys/")) return create("/v1/manage/api-keys", { name: unique, mode: "live" })
  if (path.includes("/templates/"))
    return create("/v1/manage/templates", { name: unique, body: "سلام {{name}}" })
  if (path.includes("/webhooks/"))
    return create("/v1/manage/webhooks", { url: "http://127.0.0.1:9/hook", events: ["*"] })
  if (path.includes("/users/")) {
    const user = {
      email: `${unique}@example.com`,
      name: "Sara",
      role: "developer",
      password: "correct horse battery"
    }
    return create("/v1/manage/users", user)
  }
  if (path.includes("/otp/")) return newVerification(path)
  if (path.includes("/messages/")) {
    const folder = path.slice(0, path.indexOf("/messages/"))
    return create(
      `${folder}/messages/send`,
      { to: newPhone(), message: "سلام", channels: "bale", delay: "1h" },
      "message_id"
    )
  }
  return create("/v1/manage/accounts", { ...bot, label: unique }, "credential_id")
}

const newVerification = async (path: string): Promise<unknown> => {
  const folder = path.includes("/sandbox/") ? "/v1/sandbox" : "/v1"
  const body = { phone: newPhone(), channels: ["bale", "sms"] }
  return fieldOf(await send("POST", `${folder}/otp/send`, body), "verification_id")
}

const newRefreshToken = async () => {
  const user = shown.find(({ id }) => id === "auth.signIn")?.body
  return fieldOf(await send("POST", "/v1/auth/sign-in", user), "refresh_token")
}

/** The example with ids of this server in place of the document's. */
const filledIn = async ({ path, body }: ShownRequest) => ({
  ...body,
  ...("verification_id" in body ? { verification_id: await newVerification(path) } : {}),
  ...("refresh_token" in body ? { refresh_token: await newRefreshToken() } : {})
})

it.each(shown.map((each) => [`${each.id}: ${each.name}`, each] as const))(
  "the document's example of %s is accepted",
  async (_, example) => {
    const chosen = example.path.replaceAll(/\{(\w+)\}/g, (part, name: string) =>
      String(example.choices[name] ?? part)
    )
    const id = chosen.includes("{") ? await newId(chosen) : ""
    const path = chosen.replaceAll(/\{(\w+)\}/g, String(id))
    const answer = await send(example.method, path, await filledIn(example))
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(200)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
)
