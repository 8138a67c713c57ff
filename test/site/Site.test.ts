import { globSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { anchorOf, makeSite } from "../../scripts/Site.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const sources = ["README.md", ...globSync("docs/**/*.md", { cwd: root })].map((file) => ({
  file,
  markdown: readFileSync(`${root}${file}`, "utf8")
}))
const site = makeSite(sources)
const pages = [...site].filter(([file]) => file.endsWith(".html"))

describe("the site", () => {
  it("has a page for each document", () => {
    expect(pages).toHaveLength(sources.length)
    expect(site.get("index.html")).toContain("<h1")
    expect(site.get("decisions/index.html")).toContain("<table>")
  })

  it("has links whose pages and headings exist", () => {
    const broken = pages.flatMap(([file, html]) =>
      [...html.matchAll(/<a href="([^"]+)"/g)].flatMap(([, href = ""]) => {
        if (/^(https?|mailto):/.test(href)) return []
        const [path = "", anchor] = href.split("#")
        const target = path === "" ? html : site.get(posix.join(posix.dirname(file), path))
        const isFound =
          target !== undefined && (anchor === undefined || target.includes(`id="${decodeURI(anchor)}"`))
        return isFound ? [] : [`${file}: ${href}`]
      })
    )
    expect(broken).toEqual([])
  })

  it("writes Persian pages from right to left, and code in them from left to right", () => {
    const page = site.get("fa/verification.html")
    expect(page).toContain('<html lang="fa" dir="rtl">')
    expect(page).toContain("direction:ltr")
  })

  it("finds the parts of a page by their words", () => {
    const parts = JSON.parse(site.get("search.json") ?? "") as ReadonlyArray<{ page: string; text: string }>
    const found = parts.filter(({ text }) => text.includes("webotp") && text.includes("--webotp-host"))
    expect(found.map(({ page }) => page)).toContain(
      "verification.html#how-does-a-web-page-read-the-code-by-itself"
    )
  })

  it("names headings as GitHub does", () => {
    expect(anchorOf("What is `next_cursor`, and why?")).toBe("what-is-next_cursor-and-why")
  })
})
