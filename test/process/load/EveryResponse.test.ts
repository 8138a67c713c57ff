import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, ok, raw, refused, type Reply } from "../../contract/Client.ts"
import { type Server, startServer } from "../../contract/Server.ts"

const PUBLIC = "peyk.example.ir"

let server: Server
beforeAll(async () => {
  server = await startServer({
    env: {
      PEYK_PUBLIC_URL: `https://${PUBLIC}`,
      PEYK_ALLOWED_HOSTS: "other.example.ir, 10.0.0.5",
      PEYK_BODY_TIMEOUT_MS: "300",
      PEYK_ACCOUNT_GAP_MS: "0"
    }
  })
})
afterAll(() => server?.stop())

interface Asked {
  readonly method?: string
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Node's fetch takes no Host. */
const ask = (path: string, { method = "GET", host = PUBLIC, headers = {}, body }: Asked = {}) =>
  new Promise<Reply>((resolve, reject) => {
    const { port } = server
    const request = httpRequest(
      { host: "127.0.0.1", port, path, method, headers: { ...headers, host } },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
        response.once("end", () => {
          const given = new Headers(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)])
          )
          resolve({ status: response.statusCode ?? 0, headers: given, text })
        })
      }
    )
    request.once("error", reject)
    request.end(body)
  })

const send = (host: string) =>
  ask("/v1/otp/send", {
    method: "POST",
    host,
    headers: {
      "x-api-key": server.demo.live_key,
      "idempotency-key": newKey(),
      "content-type": "application/json"
    },
    body: JSON.stringify({ phone: newPhone(), channels: ["sms"] })
  })

describe("a server on loopback behind a proxy with the public name", () => {
  it.each([PUBLIC, `${PUBLIC}:443`, "other.example.ir", "10.0.0.5:8080", "localhost", "127.0.0.1"])(
    "serves %s",
    async (host) => {
      ok(await send(host))
    }
  )

  it.each(["/v1/otp/send", "/console", "/simulator/messages", "/docs", "/"])(
    "refuses a name that somebody else made lead here: GET %s",
    async (path) => {
      const error = refused(await ask(path, { host: "rebound.example:8080" }), 421, "misdirected_request")
      for (const setting of ["PEYK_PUBLIC_URL", "PEYK_ALLOWED_HOSTS"])
        expect(error.message).toContain(setting)
    }
  )

  it("tells probes under any name that it is well", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect((await ask(path, { host: "10.1.2.3:8080" })).status).toBe(200)
    }
  })
})

describe("with a public address that is https", () => {
  const secure = (reply: Reply, status: number) => {
    expect(reply.status).toBe(status)
    expect(reply.headers.get("strict-transport-security")).toBe("max-age=31536000")
    expect(reply.headers.get("cache-control")).toBe("no-store")
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff")
  }
  const lines = `Host: ${PUBLIC}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n`

  it("browsers learn to use it from every response, and caches that they may store none", async () => {
    // The first with a key takes the ordinary way, and those after it the fast one.
    for (let n = 0; n < 3; n += 1) secure(await send(PUBLIC), 200)
    secure(await ask("/console/sign-in"), 200)
    secure(await ask("/nothing"), 404)
    secure(await ask("/v1/account"), 401)
    secure(await ask("/v1/otp/send"), 405)
    secure(await ask("/", { host: "rebound.example" }), 421)
  })

  it("also from those that no router has seen", async () => {
    secure(await raw(server, "GARBAGE\r\n\r\n"), 400)
    secure(await raw(server, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"), 400)
    secure(await raw(server, `GET / HTTP/1.1\r\nHost: ${PUBLIC}\r\nX: ${"a".repeat(20_000)}\r\n\r\n`), 431)
    secure(await raw(server, `POST /v1/auth/sign-in HTTP/1.1\r\n${lines}\r\n{`), 408)
  })
})
