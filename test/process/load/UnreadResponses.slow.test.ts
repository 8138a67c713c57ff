import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { json, otp, request, type Sent } from "../../contract/Client.ts"
import { type Server, startServer, until } from "../../contract/Server.ts"
import { hasPython } from "../../support/InstalledPrograms.ts"

const UNREAD = 200
const ROUNDS = 40

let server: Server
const ends: Array<() => Promise<unknown>> = []
beforeAll(async () => {
  server = await startServer({
    env: { PEYK_WRITE_TIMEOUT_MS: "2000", PEYK_LIMIT_KEY_MINUTE: "0", PEYK_ACCOUNT_GAP_MS: "0" }
  })
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
afterAll(() => server?.stop())

/** Clients with small receive windows, which Node cannot set. They read nothing, and begin again when they are closed. */
const openUnread = async () => {
  const program = fileURLToPath(new URL("unread_clients.py", import.meta.url))
  const clients = spawn("python3", [program, String(server.port), String(UNREAD)], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  ends.push(() => {
    const ended = once(clients, "exit")
    clients.stdin.end()
    return ended
  })
  await once(clients.stdout, "data")
}

const metric = async (name: string) => {
  const { text } = await request(server, "GET", "/metrics")
  return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1] ?? 0)
}

const manage = () =>
  request(server, "GET", "/v1/manage/api-keys", {
    headers: { authorization: `apikey ${server.demo.token}` }
  })

const signIn = () =>
  request(server, "POST", "/v1/auth/sign-in", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "nobody@example.com", password: "wrong" })
  })

describe.runIf(hasPython())("while hundreds of clients do not read what they asked for", () => {
  it("codes are sent, verified and looked up, management answers, and others sign in", async () => {
    const live = otp(server, server.demo.live_key)
    await openUnread()
    const statuses: Array<number> = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const sent = await live.send({ channels: "sms" })
      const id = json<Partial<Sent>>(sent).verification_id ?? ""
      const others = await Promise.all([live.verify(id, "000000"), live.read(id), manage()])
      statuses.push(...[sent, ...others].map(({ status }) => status))
    }
    expect(statuses).toEqual(Array.from({ length: statuses.length }, () => 200))
    expect((await signIn()).status).toBe(401)
    expect((await request(server, "GET", "/readyz")).status).toBe(200)
  }, 60_000)

  it("their connections are closed", async () => {
    await openUnread()
    const before = await metric("peyk_http_connections_unread_total")
    const closed = await until(
      "connections that are closed",
      async () => {
        const all = (await metric("peyk_http_connections_unread_total")) - before
        return all >= UNREAD ? all : undefined
      },
      40_000
    )
    expect(closed).toBeGreaterThanOrEqual(UNREAD)
  }, 60_000)
})
