import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { hasTools, root } from "../clients/packages/Packed.ts"
import { newPhone } from "../contract/Client.ts"
import { codeOf } from "../contract/Operator.ts"
import { type SharedServer, sharedServer } from "../contract/SharedServer.ts"
import { djangoPython, hasLaravel } from "../support/InstalledPrograms.ts"
import { relayTo } from "./PeykRelay.ts"
import { copyExample, quickstarts } from "./QuickstartPrograms.ts"

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

const runs: Readonly<Record<keyof typeof quickstarts, boolean>> = {
  Express: hasTools,
  "Next.js": hasTools,
  NestJS: hasTools,
  Django: djangoPython !== undefined,
  Laravel: hasLaravel()
}

interface Adapter {
  readonly peykOtp: (options: { readonly baseUrl: string; readonly apiKey: string }) => {
    readonly sendOTP: (request: { readonly phoneNumber: string }) => Promise<void>
    readonly verifyOTP: (request: { readonly phoneNumber: string; readonly code: string }) => Promise<boolean>
    readonly verifiedPhone: (request: {
      readonly phoneNumber: string
      readonly code: string
    }) => Promise<string | null>
  }
}

/** Posts as a browser does, with the cookies it received. */
const browserAt = (url: string) => {
  const cookies = new Map<string, string>()
  return async (path: string, body: object) => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ")
    const reply = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body)
    })
    for (const set of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    return { status: reply.status, body: (await reply.json()) as Readonly<Record<string, unknown>> }
  }
}

describe("the quickstart for", () => {
  for (const [name, start] of Object.entries(quickstarts)) {
    it.runIf(runs[name as keyof typeof quickstarts])(
      `${name} signs in by a code, and shows what is wrong`,
      // a production build of Next.js takes 16 s of a processor
      { timeout: 120_000 },
      async () => {
        const relay = await relayTo(server.port)
        const example = await start({ ...server, url: relay.url })
        try {
          const post = browserAt(example.url)
          const phone = newPhone()
          // what a form of another site can send
          for (const body of [JSON.stringify({ phone }), new URLSearchParams({ phone })]) {
            const forged = await fetch(`${example.url}/login/send`, { method: "POST", body })
            expect(Math.floor(forged.status / 100)).toBe(4)
            expect(await forged.text()).not.toMatch(/\bat .*:\d+:\d+/)
          }
          for (const body of ["{", "null", "[]"]) {
            const headers = { "content-type": "application/json" }
            const broken = await fetch(`${example.url}/login/send`, { method: "POST", headers, body })
            expect(Math.floor(broken.status / 100), body).toBe(4)
          }
          expect(await post("/login/send", { phone: "12" })).toEqual({
            status: 422,
            body: { error: "invalid_phone" }
          })
          expect(await post("/login/send", { phone })).toEqual({ status: 200, body: { expires_in: 300 } })
          const code = await codeOf(server, phone)
          const wrong = code === "111111" ? "222222" : "111111"
          expect(await post("/login/verify", { code: wrong })).toEqual({
            status: 200,
            body: { verified: false, reason: "invalid_code" }
          })
          const stranger = await browserAt(example.url)("/login/verify", { code })
          expect(stranger.body["verified"]).not.toBe(true)
          expect(await post("/login/verify", { code })).toEqual({
            status: 200,
            body: { verified: true, phone }
          })
          for (const line of ["200 OK", "404 Not Found"]) {
            relay.replace(`HTTP/1.1 ${line}\r\ncontent-length: 4\r\nconnection: close\r\n\r\npage`)
            expect(await post("/login/send", { phone })).toEqual({
              status: 503,
              body: { error: "invalid_response" }
            })
          }
          relay.close()
          expect((await post("/login/send", { phone })).status).toBe(503)
        } finally {
          relay.close()
          await example.stop()
        }
      }
    )
  }

  it.runIf(hasTools)(
    "Express shows no stack trace for a body that is no JSON",
    { timeout: 60_000 },
    async () => {
      const example = await quickstarts.Express(server)
      try {
        const headers = { "content-type": "application/json" }
        const reply = await fetch(`${example.url}/login/send`, { method: "POST", headers, body: "{" })
        expect(reply.status).toBe(400)
        expect(await reply.json()).toEqual({ error: "bad_request" })
      } finally {
        await example.stop()
      }
    }
  )

  it("each framework has at most 60 lines", () => {
    const files = globSync("examples/**/*.{mjs,ts,py,php,html}", { cwd: root })
    expect(files.length).toBeGreaterThan(8)
    for (const file of files) {
      expect(readFileSync(join(root, file), "utf8").split("\n").length - 1, file).toBeLessThanOrEqual(60)
    }
  })
})

describe("the hooks for sign-in libraries", () => {
  it("send a code of Peyk's, and accept it once", async () => {
    const file = pathToFileURL(join(copyExample("auth"), "peyk-otp.mjs"))
    const { peykOtp } = (await import(file.href)) as Adapter
    const { sendOTP, verifyOTP } = peykOtp({ baseUrl: server.url, apiKey: server.demo.live_key })
    const phoneNumber = newPhone()
    expect(await verifyOTP({ phoneNumber, code: "123456" })).toBe(false)
    await sendOTP({ phoneNumber })
    const code = await codeOf(server, phoneNumber)
    expect(await verifyOTP({ phoneNumber, code })).toBe(true)
    expect(await verifyOTP({ phoneNumber, code })).toBe(false)
  })

  it("take a code that is no number for a wrong one", async () => {
    const file = pathToFileURL(join(copyExample("auth"), "peyk-otp.mjs"))
    const { peykOtp } = (await import(file.href)) as Adapter
    const { sendOTP, verifyOTP } = peykOtp({ baseUrl: server.url, apiKey: server.demo.live_key })
    const phoneNumber = newPhone()
    await sendOTP({ phoneNumber })
    expect(await verifyOTP({ phoneNumber, code: "abc" })).toBe(false)
    expect(await verifyOTP({ phoneNumber: "12", code: "123456" })).toBe(false)
  })

  it("name a person by one form of the phone, however it was typed", async () => {
    const file = pathToFileURL(join(copyExample("auth"), "peyk-otp.mjs"))
    const { peykOtp } = (await import(file.href)) as Adapter
    const { sendOTP, verifiedPhone } = peykOtp({ baseUrl: server.url, apiKey: server.demo.live_key })
    const phone = newPhone()
    const phoneNumber = phone.replace("+98", "0")
    await sendOTP({ phoneNumber })
    expect(await verifiedPhone({ phoneNumber, code: await codeOf(server, phone) })).toBe(phone)
  })
})
