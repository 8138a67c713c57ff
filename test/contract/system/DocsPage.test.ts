import { request as httpRequest } from "node:http"
import { gunzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { type SharedServer, sharedServer } from "../SharedServer.ts"
import { referencePages } from "./ReferenceReader.ts"

let server: SharedServer
beforeAll(async () => {
  server = sharedServer()
})

interface Raw {
  readonly status: number
  readonly headers: NodeJS.Dict<string | ReadonlyArray<string>>
  readonly body: Buffer
}

/** The bytes as they came: nothing is unpacked. */
const docs = (headers: Readonly<Record<string, string>> = {}, method = "GET", path = "/docs/api") =>
  new Promise<Raw>((resolve, reject) => {
    const asked = httpRequest(`${server.url}${path}`, { method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
      )
    })
    asked.on("error", reject).end()
  })

const policyOf = ({ headers }: Raw) =>
  new Map(
    String(headers["content-security-policy"])
      .split("; ")
      .map((directive) => {
        const [name = "", ...values] = directive.split(" ")
        return [name, values] as const
      })
  )

const pages = new Map<string, string>()
beforeAll(async () => {
  for (const [path, page] of await referencePages(server)) pages.set(path, page)
})

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
  readonly "x-error-codes": Readonly<Record<string, { readonly status: number }>>
}
const document = async () =>
  JSON.parse((await docs({}, "GET", "/openapi.json")).body.toString("utf8")) as Document
const operationIds = async () =>
  Object.values((await document()).paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId)
  )

const idsIn = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? "")

describe("the reference", () => {
  it("runs its own files only, and asks its own server only", async () => {
    const policy = policyOf(await docs())
    expect(policy.get("default-src")).toEqual(["'none'"])
    for (const kind of ["script-src", "style-src", "connect-src", "img-src", "font-src"])
      expect(policy.get(kind)).toEqual(["'self'"])
    expect(policy.get("base-uri")).toEqual(["'none'"])
    expect(policy.get("form-action")).toEqual(["'none'"])
    for (const page of pages.values())
      expect(page).not.toMatch(/<script>|<style|\sstyle="|\son[a-z]+="|(?:src|href)="(?:https?:)?\/\//)
  })

  it("has no key in any page", () => {
    for (const page of pages.values()) expect(page).not.toMatch(/svc_(?:live|test|pat)_[A-Za-z0-9_-]{10}/)
  })

  it("has at most 100 KB in each page, compressed, and 400 KB without", async () => {
    for (const path of pages.keys()) {
      expect((await docs({ "accept-encoding": "gzip" }, "GET", path)).body.length, path).toBeLessThan(100_000)
      expect((await docs({}, "GET", path)).body.length, path).toBeLessThan(400_000)
    }
  })

  it("has each operation once, and each link leads to a page and a part that exist", async () => {
    const shown = [...pages.values()].flatMap((page) => [...page.matchAll(/<article id="([^"]+)"/g)])
    const ids = shown.map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(await operationIds()))
    for (const [path, page] of pages) {
      const own = idsIn(page)
      expect(
        own.filter((id, index) => own.indexOf(id) !== index),
        path
      ).toEqual([])
      const dead = [...page.matchAll(/href="(\/docs\/api[^"#]*)?#([^"]+)"/g)].filter(
        ([, target = path, id = ""]) => !idsIn(pages.get(target) ?? "").includes(id)
      )
      expect(
        dead.map(([link]) => link),
        path
      ).toEqual([])
    }
  })

  it("leads from the id of an operation or an error to where it is, also on its first page", async () => {
    const start = pages.get("/docs/api") ?? ""
    for (const id of [...(await operationIds()), ...Object.keys((await document())["x-error-codes"])]) {
      const { status, headers } = await docs({}, "GET", `/docs/api/${id}`)
      expect(status, id).toBe(302)
      const [path = "", part = ""] = String(headers["location"]).split("#")
      expect(idsIn(pages.get(path) ?? ""), id).toContain(part)
      expect(start).toContain(`id="${id}"`)
    }
  })

  it("has nothing elsewhere", async () => {
    for (const path of [
      "nothing",
      "assets/..%2f..%2fpackage.json",
      "assets/constructor",
      "errors/",
      "__proto__"
    ])
      expect((await docs({}, "GET", `/docs/api/${path}`)).status, path).toBe(404)
  })
})

describe("GET /docs/api", () => {
  it("cannot be put in a frame", async () => {
    const page = await docs()
    expect(policyOf(page).get("frame-ancestors")).toEqual(["'none'"])
    expect(page.headers["x-frame-options"]).toBe("DENY")
  })

  it("comes compressed to those who take gzip, and as it is to others", async () => {
    const plain = await docs()
    const zipped = await docs({ "accept-encoding": "br, gzip;q=0.8" })
    expect(zipped.headers["content-encoding"]).toBe("gzip")
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
    expect(zipped.body.length).toBeLessThan(plain.body.length / 3)
    for (const coding of ["", "identity", "gzip;q=0", "br"]) {
      const asked = await docs({ "accept-encoding": coding })
      expect(asked.headers["content-encoding"]).toBeUndefined()
      expect(asked.body.length).toBe(plain.body.length)
    }
    expect(plain.headers["vary"]).toBe("accept-encoding")
  })

  it("is not sent again to those who have it", async () => {
    const etag = String((await docs()).headers["etag"])
    for (const known of [etag, `"other", ${etag}`, etag.replace("W/", ""), "*"]) {
      const again = await docs({ "if-none-match": known })
      expect({ status: again.status, bytes: again.body.length }).toEqual({ status: 304, bytes: 0 })
      expect(again.headers["etag"]).toBe(etag)
    }
    expect((await docs({ "if-none-match": '"other"' })).status).toBe(200)
  })

  it("answers HEAD with the same headers and no body", async () => {
    const head = await docs({}, "HEAD")
    expect({ status: head.status, bytes: head.body.length }).toEqual({ status: 200, bytes: 0 })
    expect(head.headers["etag"]).toBe((await docs()).headers["etag"])
  })
})

describe("GET /openapi.json", () => {
  const openapi = (headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    docs(headers, method, "/openapi.json")

  it("comes compressed to those who take gzip, and as it is to others", async () => {
    const plain = await openapi()
    expect(plain.headers["content-type"]).toMatch(/^application\/json/)
    expect(JSON.parse(plain.body.toString("utf8"))).toMatchObject({ openapi: "3.1.0" })
    const zipped = await openapi({ "accept-encoding": "gzip" })
    expect(zipped.headers["content-encoding"]).toBe("gzip")
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
    expect(zipped.body.length).toBeLessThan(plain.body.length / 5)
  })

  it("is not sent again to those who have it", async () => {
    const etag = String((await openapi()).headers["etag"])
    const again = await openapi({ "if-none-match": etag })
    expect({ status: again.status, bytes: again.body.length }).toEqual({ status: 304, bytes: 0 })
    expect((await openapi({ "if-none-match": '"other"' })).status).toBe(200)
  })
})
