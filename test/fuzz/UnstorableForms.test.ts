import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newOperator, newVisitor, signedIn, type Visitor } from "../console/Visitor.ts"
import { startFuzzedServer } from "./FuzzedServer.ts"

const NUL = "a\u0000b"
const MAX_PAGES = 60
/** They end the session or what later forms are about. */
const ENDING = /sign-out|delete|disable|revoke|remove|erase|\/disabled$/

let fuzzed: Awaited<ReturnType<typeof startFuzzedServer>>
beforeAll(async () => {
  fuzzed = await startFuzzedServer()
}, 120_000)
afterAll(() => fuzzed?.server.stop())

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&")

const attribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : unescaped(value)
}

interface Form {
  readonly action: string
  readonly isPosted: boolean
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
}

const formsIn = (page: string): ReadonlyArray<Form> =>
  [...page.matchAll(/(<form[^>]*>)(.*?)<\/form>/gs)].map(([, head = "", inside = ""]) => ({
    action: attribute(head, "action") ?? "",
    isPosted: attribute(head, "method")?.toLowerCase() === "post",
    fields: [...inside.matchAll(/<(?:input|textarea|select)[^>]*>/g)].flatMap(([tag]) => {
      const name = attribute(tag, "name")
      return name === undefined ? [] : [[name, attribute(tag, "value") ?? "1"] as const]
    })
  }))

/** The pages that links lead to from the first. */
const allPages = async (visitor: Visitor): Promise<ReadonlyMap<string, string>> => {
  const pages = new Map<string, string>()
  const left = ["/console"]
  while (left.length > 0 && pages.size < MAX_PAGES) {
    const path = left.shift() ?? ""
    if (pages.has(path)) continue
    const { status, text, location, headers } = await visitor.get(path)
    if (location?.startsWith("/console") === true) left.push(location)
    if (status !== 200 || headers.get("content-type")?.startsWith("text/html") !== true) continue
    pages.set(path, text)
    for (const [, href = ""] of text.matchAll(/href="(\/console[^"#]*)/g))
      if (!href.includes("?") && !href.includes("sign-out")) left.push(unescaped(href))
  }
  return pages
}

const send = async (visitor: Visitor, { action, isPosted, fields }: Form, bad: string): Promise<number> => {
  const body = new URLSearchParams(fields.map(([name, value]) => [name, name === bad ? NUL : value]))
  const reply = isPosted
    ? await visitor.postAll(action, body)
    : await visitor.get(`${action}?${body.toString()}`)
  return reply.status
}

const visitors: Readonly<Record<string, () => Promise<Visitor>>> = {
  "an owner": () => signedIn(fuzzed.server, fuzzed.server.demo.customer_id, "owner"),
  "an operator": () => newOperator(fuzzed.server, "operator@example.com")
}

describe("a form field with U+0000", () => {
  it.each(Object.entries(visitors))(
    "is no failure of the server, on any page of %s",
    async (_who, arrive) => {
      const visitor = await arrive()
      const failed: Array<string> = []
      const tried = new Set<string>()
      for (const [path, page] of await allPages(visitor)) {
        for (const form of formsIn(page)) {
          if (ENDING.test(form.action)) continue
          for (const [name] of form.fields) {
            const label = `${form.action} ${name}`
            if (name === "csrf" || tried.has(label)) continue
            tried.add(label)
            const status = await send(visitor, form, name)
            if (status >= 500) failed.push(`${label} on ${path}: ${status}`)
          }
        }
      }
      expect(failed, fuzzed.server.output()).toEqual([])
      expect(tried.size, [...tried].join("\n")).toBeGreaterThan(15)
    },
    120_000
  )

  it("is no failure for somebody who signs in", async () => {
    const stranger = newVisitor(fuzzed.server)
    const link = await stranger.post("/console/sign-in-link", { token: NUL })
    expect(link.status).toBeLessThan(500)
    for (const fields of [{ email: NUL }, { email: "a@example.com", password: NUL }]) {
      const page = await stranger.get("/console/sign-in")
      const csrf = /name="csrf"\s+value="([^"]+)"/.exec(page.text)?.[1] ?? ""
      expect((await stranger.post("/console/sign-in", { ...fields, csrf })).status).toBeLessThan(500)
    }
  })
})
