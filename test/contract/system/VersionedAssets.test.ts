import { beforeAll, describe, expect, it } from "vitest"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(new URL(path, server.url), { headers, redirect: "manual" })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const matchesIn = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found)

/** What a page makes a browser load: its style, scripts, icon and drawings. */
const loadedBy = (page: string): ReadonlyArray<string> => [
  ...matchesIn(page, /<link rel="(?:stylesheet|icon|preload|modulepreload)" href="([^"#]+)/g),
  ...matchesIn(page, /<script[^>]*\ssrc="([^"]+)"/g),
  ...matchesIn(page, /<use href="([^"#]+)#/g)
]

/** What a style or a script names, beside itself. */
const namedBy = (file: string): ReadonlyArray<string> => [
  ...matchesIn(file, /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g),
  ...matchesIn(file, /besideThis\("([^"]+)"\)/g),
  ...matchesIn(file, /url\("([^"]+)"\)/g)
]

/** Every file that a page leads to, with the files that those name. */
const filesOf = async (path: string) => {
  const waiting = [...loadedBy((await get(path)).text)]
  const files = new Map<string, Awaited<ReturnType<typeof get>>>()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (files.has(next)) continue
    const file = await get(next)
    files.set(next, file)
    const base = new URL(next, server.url)
    if (/\.(css|js)$/.test(next))
      waiting.push(...namedBy(file.text).map((name) => new URL(name, base).pathname))
  }
  return files
}

const FOR_GOOD = "public, max-age=31536000, immutable"
const VERSIONED = /\/assets\/[\w-]{12}\/[\w.]+$/
/** The name of a font has its version. */
const isFont = (path: string): boolean => path.endsWith(".woff2")

describe.each([
  ["/console/sign-in", 5],
  ["/docs/api", 10]
])("what %s loads", (page, least) => {
  it("is at addresses that change with it, and is kept for good", async () => {
    const files = await filesOf(page)
    expect(files.size).toBeGreaterThan(least)
    for (const [path, { status, headers }] of files) {
      expect([path, status, headers.get("cache-control")]).toEqual([path, 200, FOR_GOOD])
      if (!isFont(path)) expect(path).toMatch(VERSIONED)
      expect(headers.get("content-security-policy"), path).toMatch(/^default-src '(self|none)'/)
    }
  })

  it("is not at addresses without a version", async () => {
    for (const path of (await filesOf(page)).keys()) {
      if (isFont(path)) continue
      const { status } = await get(path.replace(/\/assets\/[\w-]+\//, "/assets/"))
      expect([302, 404], path).toContain(status)
    }
  })

  it("is there for a page of another version, and asked for again", async () => {
    for (const [path, { text }] of await filesOf(page)) {
      if (isFont(path)) continue
      const old = path.replace(/\/assets\/[\w-]+\//, "/assets/AnOlderOne12/")
      const other = await get(old)
      expect([other.status, other.headers.get("cache-control"), other.text]).toEqual([200, "no-cache", text])
      const again = await get(old, { "if-none-match": other.headers.get("etag") ?? "" })
      expect([again.status, again.headers.get("cache-control")]).toEqual([304, "no-cache"])
    }
  })
})
