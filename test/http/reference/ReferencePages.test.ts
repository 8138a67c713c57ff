import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { errorTable } from "../../../src/http/errors/ErrorTable.ts"
import { errorsOf, groupsOf, parametersOf, schemaIn } from "../../../src/http/system/reference/ApiDocument.ts"
import { makeReference } from "../../../src/http/system/reference/ReferencePages.ts"
import { fieldsOf } from "../../../src/http/system/reference/Schemas.ts"
import { readReference } from "../../../src/http/system/reference/ReferenceRoutes.ts"
import { setUp } from "../../../src/http/system/reference/StartPage.ts"

const root = new URL("../../../", import.meta.url)
const document = readReference()
const { pages, search } = makeReference(document)
const page = (slug: string): string => pages.get(slug)?.() ?? expect.unreachable(slug)
const groups = groupsOf(document)

const operations = groups.flatMap(({ slug, operations: own }) =>
  own.map(({ operation, path, isWebhook }) => ({
    id: operation.operationId,
    name: `${operation.operationId} in ${slug}`,
    operation,
    path,
    isWebhook,
    markup: page(slug).split(`<article id="${operation.operationId}">`)[1]?.split("</article>")[0] ?? ""
  }))
)

describe.each(operations)("$name", ({ id, operation, markup, path, isWebhook }) => {
  it("has what it takes, with a row for each parameter and field", () => {
    for (const { name, in: place } of parametersOf(document, operation))
      expect(markup).toContain(`id="${id}.${place}.${name}"`)
    const body = schemaIn(operation.requestBody?.content)
    for (const { name } of body === undefined ? [] : fieldsOf(document, body))
      expect(markup).toContain(`id="${id}.body.${name}"`)
  })

  it("has each response with its fields, and an example of it", () => {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) >= 400) continue
      expect(markup).toContain(`<b class="good">${status}</b>`)
      const schema = "content" in response ? schemaIn(response.content) : undefined
      if (schema === undefined) continue
      for (const { name } of fieldsOf(document, schema))
        expect(markup).toContain(`id="${id}.${status}.${name}"`)
      expect(markup).toContain(`<b class="good">${status}</b> Response`)
    }
  })

  it("has each of its errors with the status, what to do, and an example of the body", () => {
    const errors = errorsOf(document, operation)
    const rows = [...markup.matchAll(/<b>(\d+)<\/b> <a href="\/docs\/api\/errors#(\w+)"/g)]
    expect(rows.map(([, status, code]) => `${status} ${code}`).toSorted()).toEqual(
      errors.map(({ status, code }) => `${status} ${code}`).toSorted()
    )
    for (const { status } of errors) expect(markup).toContain(`<b class="bad">${status}</b>`)
    const isCalled = !isWebhook && path.startsWith("/v1/")
    expect(errors.length > 0).toBe(
      isCalled || ["/readyz", "/metrics", "/.well-known/jwks.json"].includes(path)
    )
  })

  it("has a call in four languages, or what Peyk posts", () => {
    if (isWebhook) return expect(markup).toContain("What Peyk posts")
    for (const language of ["curl", "typescript", "python", "php"])
      expect(markup).toContain(`<figure class="code ${language}">`)
  })

  it("can be tried if it is one of the sandbox", () => {
    expect(markup.includes("data-try=")).toBe(path.startsWith("/v1/sandbox/"))
  })
})

describe("the first page", () => {
  const start = page("")

  it("says the address, the credentials and the client's set-up before the first call", () => {
    const places = ["base-url", "authentication", "client", "first-call", "operations"].map((id) =>
      start.indexOf(`<section id="${id}">`)
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    for (const name of ["$PEYK", "$KEY", "$TEST_KEY", "$TOKEN", "peyk"])
      expect(start.slice(places[2], places[3])).toContain(`<code>${name}</code>`)
  })

  it("sets up the clients as the quickstarts do", () => {
    const quickstarts = readFileSync(new URL("docs/quickstarts.md", root), "utf8")
    const named = {
      TypeScript: [
        'import { createClient } from "@peyk/client"',
        "createClient({",
        "process.env.PEYK_URL",
        "process.env.PEYK_API_KEY"
      ],
      Python: ["from peyk import Peyk", 'os.environ["PEYK_URL"]', 'api_key=os.environ["PEYK_API_KEY"]'],
      PHP: [
        "require 'vendor/autoload.php';",
        "new Peyk\\Peyk(",
        "getenv('PEYK_URL')",
        "apiKey: getenv('PEYK_API_KEY')"
      ],
      curl: ["$PEYK", "$KEY"]
    }
    for (const [language, parts] of Object.entries(named))
      for (const part of parts) {
        expect(quickstarts).toContain(part)
        expect(setUp[language]).toContain(language === "curl" ? part.slice(1) : part)
      }
  })
})

describe("the page of errors", () => {
  const errors = page("errors")

  it("has every code with its status, its meaning and what to do", () => {
    for (const [code, { status }] of Object.entries(errorTable)) {
      const [, entry = ""] = errors.split(`<article class="code-entry" id="${code}">`)
      expect(entry, code).toContain(`<b class="bad">${status}</b>`)
      expect(entry.split("</article>")[0]).toContain("What to do:")
    }
  })

  it("says what docs/errors.md says, and leads where it leads", () => {
    expect(document["x-error-codes"]["invalid_delay"]?.advice).toBe(
      "Write a delay such as `90m`, `2h` or `3d`."
    )
    expect(errors).toContain("Write a delay such as <code>90m</code>")
    expect(errors).toContain('<a href="/docs/guard/#how-do-i-see-alarms">clear the alarm</a>')
    expect(errors).not.toMatch(/\]\(|\.md[#")]/)
    for (const [code, { message, advice }] of Object.entries(document["x-error-codes"]))
      expect(advice, code).not.toBe(message)
  })
})

describe("the search", () => {
  const entries = JSON.parse(search()) as ReadonlyArray<{
    readonly kind: string
    readonly name: string
    readonly url: string
  }>

  it("knows each operation, each error and each field, and where they are", () => {
    expect(entries.filter(({ kind }) => kind === "operation")).toHaveLength(operations.length)
    expect(entries.filter(({ kind }) => kind === "error").map(({ name }) => name)).toEqual(
      Object.keys(errorTable)
    )
    const written = new Map([...pages].map(([slug, make]) => [slug, make()]))
    for (const { url } of entries) {
      const [, slug = "", id = ""] = /^\/docs\/api\/([a-z-]+)#(.+)$/.exec(url) ?? []
      expect(written.get(slug), url).toContain(`id="${id}"`)
    }
  })
})

describe("the colours", () => {
  const coloursIn = (file: string) => {
    const css = readFileSync(new URL(`src/http/${file}`, root), "utf8")
    return new Map(
      [...css.matchAll(/(--[\w-]+): (light-dark\([^;]*\));/g)].map(([, name = "", pair]) => [name, pair])
    )
  }

  it("are those of the console, but for the ground of what is raised", () => {
    const console = coloursIn("console/assets/console.css")
    const own = [...coloursIn("system/reference/assets/reference.css")].filter(([name]) => console.has(name))
    expect(own.length).toBeGreaterThan(15)
    expect(own.filter(([name, pair]) => console.get(name) !== pair).map(([name]) => name)).toEqual([
      "--raised"
    ])
  })
})
