/** What examples need to exist: the id of a new resource for each part of a path. */
import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import { newPhone, type Reply, request } from "../Client.ts"
import { codeOf } from "../Operator.ts"
import { type Server, until } from "../Server.ts"

export interface Credentials {
  readonly live_key: string
  readonly test_key: string
  readonly token: string
}

type Values = Readonly<Record<string, unknown>>

/** An account that has contacts and an inbox. */
const bot = { channel: "bale", provider: "bale_bot", settings: { token: "1234567:made-up" }, check: false }
const PASSWORD = "correct horse battery staple"
/** The least budget of unverified codes from one network. */
const GUARD_BUDGET = 26

const fieldOf = (answer: Reply, field: string): unknown => {
  expect(answer.status, answer.text).toBeLessThan(300)
  return JSON.parse(answer.text)[field]
}

export const exampleResources = (server: Pick<Server, "url">, credentials: Credentials) => {
  const headersOf = (path: string): Record<string, string> => {
    const json = { "content-type": "application/json" }
    if (path.startsWith("/v1/manage")) return { ...json, authorization: `Bearer ${credentials.token}` }
    if (path.startsWith("/v1/auth")) return json
    const key = path.startsWith("/v1/sandbox") ? credentials.test_key : credentials.live_key
    return { ...json, "x-api-key": key, "idempotency-key": randomUUID() }
  }

  const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
    request(server, method, path, {
      headers: headersOf(path),
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })

  const create = async (path: string, body: unknown, field = "id"): Promise<unknown> =>
    fieldOf(await send("POST", path, body), field)

  const newVerification = (folder: string) =>
    create(`${folder}/otp/send`, { phone: newPhone(), channels: ["bale", "sms"] }, "verification_id")

  const newMessage = (folder: string) => {
    const message = { to: newPhone(), message: "سلام", channels: "bale", delay: "1h" }
    return create(`${folder}/messages/send`, message, "message_id")
  }

  const newUser = (email: string) =>
    create("/v1/manage/users", { email, name: "Sara", role: "developer", password: PASSWORD })

  const newRefreshToken = async () => {
    const email = `${randomUUID()}@example.com`
    await newUser(email)
    return create("/v1/auth/sign-in", { email, password: PASSWORD }, "refresh_token")
  }

  const newContact = async (account: unknown) => {
    const phone = newPhone()
    const contacts = [{ phone, chat_id: "1001" }]
    fieldOf(await send("PUT", `/v1/manage/accounts/${account}/contacts`, { contacts }), "imported")
    return phone
  }

  const newListed = async () => {
    const phone = newPhone()
    await create("/v1/manage/guard/allow", { type: "phone", value: phone })
    return phone
  }

  const newAlarm = async () => {
    fieldOf(await send("PUT", "/v1/manage/guard", { mode: "enforcing" }), "mode")
    for (let n = 0; n <= GUARD_BUDGET; n++) {
      // phones in a row share all but the last four digits; these do not
      const phone = `+98912${Array.from(newPhone().slice(-7)).toReversed().join("")}`
      await send("POST", "/v1/otp/send", { phone, channels: "sms", client: { ip: "203.0.113.9" } })
    }
    return until("the alarm", async () => {
      const reply = await send("GET", "/v1/manage/guard/alarms")
      return JSON.parse(reply.text).data[0]?.alarm_id as string | undefined
    })
  }

  /** The routing order as it is, saved once more: the examples that send keep theirs. */
  const newRoutingVersion = async () => {
    const { text } = await send("GET", "/v1/manage/routing")
    const { version: _, ...order } = JSON.parse(text)
    return fieldOf(await send("PUT", "/v1/manage/routing", order), "version")
  }

  let sentTo = ""
  /** A recipient of alerts, who is confirmed where a path needs that. */
  const newRecipient = async (path: string) => {
    sentTo = newPhone()
    const id = await create("/v1/manage/alerts/recipients", { phone: sentTo })
    if (path.endsWith("/test"))
      await create(`/v1/manage/alerts/recipients/${id}/confirm`, { code: await codeOf(server, sentTo) })
    return id
  }

  /** A new resource of the kind that a path names, for its id. */
  const newId = (path: string): Promise<unknown> => {
    const unique = randomUUID()
    const root = path.includes("/sandbox/") ? "/v1/sandbox" : "/v1"
    const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
      "api-keys": () => create("/v1/manage/api-keys", { name: unique, mode: "live" }),
      templates: () => create("/v1/manage/templates", { name: unique, body: "سلام {{name}}" }),
      webhooks: () => create("/v1/manage/webhooks", { url: "http://127.0.0.1:9/hook", events: ["*"] }),
      tokens: () => create("/v1/manage/tokens", { name: unique, scope: "read_only" }),
      users: () => newUser(`${unique}@example.com`),
      accounts: () => create("/v1/manage/accounts", { ...bot, label: unique }, "credential_id"),
      otp: () => newVerification(root),
      versions: newRoutingVersion,
      recipients: () => newRecipient(path),
      verifications: () => newVerification(root),
      messages: () => newMessage(root)
    }
    const kind = path.split("/").find((part) => Object.hasOwn(kinds, part)) ?? ""
    return kinds[kind]?.() ?? expect.unreachable(`no resource for ${path}`)
  }

  /** A value for each part of a path, of new resources. */
  const newParts = async (path: string): Promise<Values> => {
    if (path.endsWith("/{list}/{type}/{value}"))
      return { list: "allow", type: "phone", value: await newListed() }
    if (path.includes("{list}")) return { list: "allow" }
    if (path.startsWith("/v1/phones/{phone}")) return { phone: newPhone() }
    if (path.includes("{month}")) return { month: "2026-01" }
    if (path.includes("{alarm_id}")) return { alarm_id: await newAlarm() }
    const [, name] = /\{(\w+)\}/.exec(path) ?? []
    if (name === undefined) return {}
    const id = await newId(path)
    if (path.includes("{event_id}"))
      return { id, event_id: await create(`/v1/manage/webhooks/${id}/test`, undefined, "event_id") }
    return path.includes("{phone}") ? { id, phone: await newContact(id) } : { [name]: id }
  }

  /** The example with ids of this server in place of the document's. */
  const withIds = async (path: string, body: Values): Promise<Values> => ({
    ...body,
    ...("verification_id" in body
      ? { verification_id: await newVerification(path.includes("/sandbox/") ? "/v1/sandbox" : "/v1") }
      : {}),
    ...(path.endsWith("/confirm") ? { code: await codeOf(server, sentTo) } : {}),
    ...("refresh_token" in body ? { refresh_token: await newRefreshToken() } : {})
  })

  return { send, newParts, withIds }
}
