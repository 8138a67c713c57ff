import { request as httpRequest } from "node:http"
import { gunzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
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

describe("GET /docs/api", () => {
  it("has no script, and loads nothing", async () => {
    const page = await docs()
    expect(page.body.toString("utf8")).not.toMatch(/<script|<link|<img|@import|url\(/)
    const policy = policyOf(page)
    expect(policy.get("default-src")).toEqual(["'none'"])
    expect(policy.has("script-src")).toBe(false)
    expect(policy.get("base-uri")).toEqual(["'none'"])
    expect(policy.get("form-action")).toEqual(["'none'"])
  })

  it("has at most 400 KB, compressed", async () => {
    expect((await docs({ "accept-encoding": "gzip" })).body.length).toBeLessThan(400_000)
  })

  it("has every operation, and each link inside it leads somewhere", async () => {
    const text = (await docs()).body.toString("utf8")
    const document = JSON.parse((await docs({}, "GET", "/openapi.json")).body.toString("utf8"))
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const methods of Object.values<object>(document.paths))
      for (const { operationId } of Object.values(methods)) expect(ids).toContain(operationId)
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.filter((id) => !ids.includes(id) && !id?.endsWith("Error"))).toEqual([])
  })

  it("shows a call in four languages", async () => {
    const text = (await docs()).body.toString("utf8")
    expect(text).toContain("curl -s -X POST &quot;$PEYK/v1/otp/send&quot;")
    expect(text).toContain("await peyk.otp.send({")
    expect(text).toContain("peyk.otp.verify(&quot;")
    expect(text).toContain("$peyk-&gt;otp-&gt;verify(&quot;")
    expect(text).toContain("await peyk.manage.apiKeys.create({")
  })

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
