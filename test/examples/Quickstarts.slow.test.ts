import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { hasTools, root } from "../clients/packages/Packed.ts"
import { findChromium } from "../console/browser/kit/Chromium.ts"
import { newPhone } from "../contract/Client.ts"
import { codeOf } from "../contract/Operator.ts"
import { type SharedServer, sharedServer } from "../contract/SharedServer.ts"
import { djangoPython, hasLaravel } from "../support/InstalledPrograms.ts"
import { relayTo } from "./PeykRelay.ts"
import { askForCode, codeField, inPersian, shows, visitLogin, wrongFor } from "./LoginSteps.ts"
import { type Quickstart, quickstarts } from "./QuickstartPrograms.ts"

const executablePath = findChromium()

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

/** Posts as a browser does, with the cookies it received. A proxy passes its address on. */
const browserAt = (url: string) => {
  const cookies = new Map<string, string>()
  const headers = () => ({
    "content-type": "application/json",
    "x-forwarded-for": "198.51.100.7",
    cookie: [...cookies].map((pair) => pair.join("=")).join("; ")
  })
  const post = async (path: string, body: object) => {
    const reply = await fetch(`${url}${path}`, {
      method: "POST",
      headers: headers(),
      body: JSON.stringify(body)
    })
    for (const set of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    return { status: reply.status, body: (await reply.json()) as Readonly<Record<string, unknown>> }
  }
  const get = (path: string) => fetch(`${url}${path}`, { headers: headers() })
  return Object.assign(post, { get, session: () => headers().cookie })
}

/** From a phone number to a session. */
const signsInWithABrowser = async (example: Quickstart) => {
  if (executablePath === undefined) return
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  const phone = newPhone()
  const signIn = visitLogin(browser, example, async (page) => {
    await askForCode(page, inPersian(phone.replace("+98", "0")))
    await codeField(page).fill(wrongFor(await codeOf(server, phone)))
    await shows(page, "۴ بار دیگر")
    await page.getByRole("button", { name: "روش دیگر" }).click()
    await shows(page, "«ایتا»")
    await codeField(page).fill(inPersian(await codeOf(server, phone)))
    await shows(page, `You are signed in as ${phone}.`)
  })
  await signIn.finally(() => browser.close())
}

/** Neither a session nor an address gets codes without end. */
const isLimited = async ({ url }: Quickstart) => {
  const limited = { status: 429, body: { error: "too_many_requests", retry_after: expect.any(Number) } }
  const one = browserAt(url)
  for (let sends = 0; sends < 5; sends++)
    expect((await one("/login/send", { phone: "12" })).status, String(sends)).toBe(422)
  expect(await one("/login/send", { phone: "12" })).toEqual(limited)
  expect(await one("/login/next", {})).toEqual(limited)
  let sends = 0
  while ((await browserAt(url)("/login/send", { phone: "12" })).status === 422 && sends < 40) sends++
  expect(sends).toBeGreaterThan(10)
  expect(sends).toBeLessThan(30)
  expect(await browserAt(url)("/login/send", { phone: "12" })).toEqual(limited)
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
          await signsInWithABrowser(example)
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
          expect(await post("/login/send", { phone: "12" })).toMatchObject({
            status: 422,
            body: { error: "invalid_phone" }
          })
          expect(await post("/login/send", { phone })).toEqual({
            status: 200,
            body: { status: "queued", channel: "bale", expires_in: 300, code_length: 6 }
          })
          const code = await codeOf(server, phone)
          expect(await post("/login/verify", { code: wrongFor(code) })).toEqual({
            status: 200,
            body: { verified: false, reason: "invalid_code", tries_left: 4 }
          })
          const stranger = browserAt(example.url)
          expect((await stranger("/login/verify", { code })).body["verified"]).not.toBe(true)
          expect(await post("/login/next", {})).toMatchObject({
            status: 200,
            body: { status: "queued", channel: "eitaa" }
          })
          expect(await (await post.get("/login/status")).json()).toMatchObject({ channel: "eitaa" })
          expect(await (await post.get("/account")).text()).not.toContain(phone)
          const before = post.session()
          expect(await post("/login/verify", { code })).toEqual({
            status: 200,
            body: { verified: true, reason: "ok" }
          })
          expect(post.session()).not.toEqual(before)
          expect(await (await post.get("/account")).text()).toContain(phone)
          await isLimited(example)
          for (const line of ["200 OK", "404 Not Found"]) {
            relay.replace(`HTTP/1.1 ${line}\r\ncontent-length: 4\r\nconnection: close\r\n\r\npage`)
            expect(await post("/login/verify", { code })).toMatchObject({
              status: 503,
              body: { error: "invalid_response" }
            })
          }
          relay.close()
          expect((await post("/login/verify", { code })).status).toBe(503)
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
    const files = globSync("examples/**/*.{mjs,ts,py,php,html,css}", { cwd: root })
    expect(files.length).toBeGreaterThan(8)
    for (const file of files) {
      expect(readFileSync(join(root, file), "utf8").split("\n").length - 1, file).toBeLessThanOrEqual(60)
    }
  })
})
