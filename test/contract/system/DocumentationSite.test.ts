import { globSync, readFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { posix } from "node:path"
import { gzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { hasSite, siteFolder } from "../../support/BuiltSite.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
beforeAll(async () => {
  server = sharedServer()
})

interface Raw {
  readonly status: number
  readonly headers: NodeJS.Dict<string | ReadonlyArray<string>>
  readonly body: Buffer
}

/** The path as it is written, and the bytes as they came. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  new Promise<Raw>((resolve, reject) => {
    httpRequest({ host: "127.0.0.1", port: server.port, path, method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
      )
    })
      .on("error", reject)
      .end()
  })

const HTML = { accept: "text/html" }
const files = hasSite ? globSync("**/*", { cwd: siteFolder }) : []
const htmlFiles = files.filter((file) => file.endsWith(".html"))
const htmlOf = (file: string): string => readFileSync(`${siteFolder}${file}`, "utf8")

describe.runIf(hasSite)("the site below /docs", () => {
  it.each(["/docs", "/docs/", "/docs/?from=console"])("starts at %s", async (path) => {
    const page = await get(path, HTML)
    expect(page.status).toBe(200)
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(String(page.body)).toContain('<html lang="en" dir="ltr"')
  })

  it("is Persian below /docs/fa, whatever the browser prefers", async () => {
    const page = await get("/docs/fa/verification/", { ...HTML, "accept-language": "en" })
    expect(String(page.body)).toContain('<html lang="fa" dir="rtl"')
    expect(String((await get("/docs/verification/", { "accept-language": "fa" })).body)).toContain(
      'lang="en"'
    )
  })

  it("allows nothing inline, and no other host", async () => {
    const policy = String((await get("/docs/verification/")).headers["content-security-policy"])
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(policy).toContain("script-src 'self';")
  })

  it("sends a page's path without its slash to the one with it", async () => {
    const { status, headers } = await get("/docs/fa/verification", HTML)
    expect({ status, location: headers["location"] }).toEqual({ status: 308, location: "verification/" })
  })

  it("has the media type of each kind of file, and keeps those with a hash", async () => {
    const types = new Set<string>()
    const kinds = new Map(
      files.filter((file) => /\.\w+$/.test(file)).map((file) => [posix.extname(file), file])
    )
    for (const file of kinds.values()) {
      const { status, headers } = await get(`/docs/${file}`)
      expect(status, file).toBe(200)
      types.add(String(headers["content-type"]))
      if (file.startsWith("_astro/"))
        expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable")
    }
    for (const type of [
      "text/css; charset=utf-8",
      "text/javascript; charset=utf-8",
      "font/woff2",
      "image/svg+xml"
    ])
      expect([...types]).toContain(type)
    expect((await get("/docs/verification/")).headers["cache-control"]).toBe("no-cache")
  })

  it("compresses text, and answers who has it already with 304", async () => {
    const plain = await get("/docs/verification/")
    const zipped = await get("/docs/verification/", { "accept-encoding": "gzip" })
    expect(zipped.headers["content-encoding"]).toBe("gzip")
    expect(zipped.body.length).toBeLessThan(plain.body.length / 3)
    const again = await get("/docs/verification/", { "if-none-match": String(plain.headers["etag"]) })
    expect({ status: again.status, bytes: again.body.length }).toEqual({ status: 304, bytes: 0 })
  })

  it("answers HEAD as GET, without the page", async () => {
    const { status, headers, body } = await get("/docs/verification/", {}, "HEAD")
    expect({ status, bytes: body.length }).toEqual({ status: 200, bytes: 0 })
    expect(headers["etag"]).toBe((await get("/docs/verification/")).headers["etag"])
  })

  it.each([
    "/docs/../package.json",
    "/docs/%2e%2e/%2e%2e/package.json",
    "/docs/..%2f..%2fpackage.json",
    "/docs//etc/passwd",
    "/docs/_astro",
    "/docs/_astro/",
    "/docs/index.html/../../site.stamp",
    "/docs/%00",
    "/docs/verification/%2e%2e/index.html"
  ])("has nothing at %s", async (path) => {
    const { status, body } = await get(path)
    expect(status).toBe(404)
    expect(JSON.parse(String(body)).error.code).toBe("not_found")
  })

  it("shows people a page where there is none, in the language of the path", async () => {
    const english = await get("/docs/nothing/", HTML)
    expect({ status: english.status, isPage: String(english.body).includes('<html lang="en"') }).toEqual({
      status: 404,
      isPage: true
    })
    const persian = await get("/docs/fa/nothing/", HTML)
    expect({ status: persian.status, isPage: String(persian.body).includes('<html lang="fa"') }).toEqual({
      status: 404,
      isPage: true
    })
  })
})

describe.runIf(hasSite)("the files of the site", () => {
  const known = new Set(files)

  it("have links whose pages and headings exist", () => {
    const anchors = new Map(
      htmlFiles.map((file) => [
        file,
        new Set([...htmlOf(file).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
      ])
    )
    const dead = htmlFiles.flatMap((file) =>
      [...htmlOf(file).matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, href = ""]) => {
        if (/^(https?|mailto):/.test(href) || href === "/docs/api") return []
        const [path = "", anchor] = href.split("#")
        const target = path === "" ? file : path.replace(/^\/docs\//, "").replace(/(^|\/)$/, "$1index.html")
        const isFound = anchor === undefined ? known.has(target) : anchors.get(target)?.has(decodeURI(anchor))
        return isFound === true ? [] : [`${file}: ${href}`]
      })
    )
    expect(dead).toEqual([])
    expect(htmlFiles.length).toBeGreaterThan(100)
  })

  it("have nothing that the policy would refuse", () => {
    const inline = htmlFiles.filter((file) =>
      /<[a-z][^<>]*\sstyle=|<style|<script(?![^>]*\ssrc=)| on\w+="/.test(htmlOf(file))
    )
    expect(inline).toEqual([])
  })

  it("name no other host than in links", () => {
    const naming = htmlFiles.filter((file) => /\s(?:src|srcset)="(?:https?:)?\/\//.test(htmlOf(file)))
    expect(naming).toEqual([])
  })

  /** What a browser loads for a page, as it goes over the wire: compressed, with fonts. Pictures load when seen. */
  it("weigh at most 150 KB a page", () => {
    const sizes = new Map<string, number>()
    const sizeOf = (file: string): number => {
      const bytes = readFileSync(`${siteFolder}${file}`)
      const size = /\.(woff2|webp|png)$/.test(file) ? bytes.length : gzipSync(bytes, { level: 9 }).length
      sizes.set(file, size)
      return size
    }
    const fonts = files.filter((file) => file.endsWith(".woff2"))
    const heavy = htmlFiles.map((file) => {
      const linked = [...htmlOf(file).matchAll(/(?:src|href)="\/docs\/(_astro\/[^"]+\.(?:js|css))"/g)]
      const parts = new Set([file, ...linked.map(([, part = ""]) => part), ...fonts])
      return [file, [...parts].reduce((sum, part) => sum + (sizes.get(part) ?? sizeOf(part)), 0)] as const
    })
    expect(heavy.filter(([, bytes]) => bytes > 150_000)).toEqual([])
    const long = htmlFiles.filter((file) => Buffer.byteLength(htmlOf(file)) > 150_000)
    expect(long, "before they are compressed, too").toEqual([])
  })
})
