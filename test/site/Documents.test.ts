import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import {
  anchorOf,
  examplesOf,
  linkFrom,
  loneIn,
  prepared,
  slugOf,
  tabsIn,
  withTabs
} from "../../site/lib/Documents.ts"
import { sidebarOf } from "../../site/lib/Sidebar.ts"
import { makeStrict } from "../../site/lib/Strict.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const sources = ["README.md", ...globSync("docs/**/*.md", { cwd: root })]
const english = sources.filter((file) => !file.startsWith("docs/fa/"))
const pages = new Set(sources)
const read = (file: string): string => readFileSync(`${root}${file}`, "utf8")
const examples = examplesOf(sources.map(read))

const CURL = "```sh [curl]\ncurl $PEYK\n```\n"
const PYTHON = "```python [Python]\npeyk.otp\n```\n"

describe("the pages of the site", () => {
  it("are each in the sidebar once", () => {
    const records = english
      .filter((file) => /decisions\/\d/.test(file))
      .map((file) => ({ slug: slugOf(file), label: "" }))
    const listed = sidebarOf(records).flatMap(({ items }) =>
      items.flatMap((item) => ("slug" in item ? [item.slug] : []))
    )
    expect(listed.toSorted()).toEqual(english.map(slugOf).toSorted())
  })

  it("leave the address of the reference to it", () => {
    expect(sources.map(slugOf).filter((slug) => /^(fa\/)?api$/.test(slug))).toEqual([])
  })

  it("in Persian stand where the English ones do", () => {
    const slugs = new Set(english.map(slugOf))
    const persian = sources.filter((file) => file.startsWith("docs/fa/")).map(slugOf)
    expect(persian.length).toBeGreaterThan(3)
    expect(persian.filter((slug) => !slugs.has(slug.replace(/^fa\//, "")))).toEqual([])
  })

  it("have a title, and what they are for", () => {
    for (const file of sources) {
      const page = prepared(file, read(file), examples)
      expect(page, file).toMatch(/^---\ntitle: ".+"\ndescription: ".+"\nsource: ".+"\n---\n/)
      expect(page, file).not.toMatch(/^# [^\n]*\n/)
    }
  })
})

describe("a link of a page", () => {
  it.each([
    ["docs/verification.md", "guard.md", "/docs/guard/"],
    ["docs/verification.md", "../README.md#on-windows", "/docs/overview/#on-windows"],
    ["docs/fa/README.md", "quickstart.md", "/docs/fa/quickstarts/"],
    ["README.md", "docs/decisions", "/docs/decisions/"],
    [
      "docs/guard.md",
      "decisions/0031-what-the-guard-counts-together.md",
      "/docs/decisions/0031-what-the-guard-counts-together/"
    ],
    ["docs/guard.md", "#how", "#how"],
    ["docs/guard.md", "https://example.ir", "https://example.ir"],
    ["docs/api.md", "/docs/api", "/docs/api"]
  ])("from %s to %s is %s", (file, href, expected) => {
    expect(linkFrom(file, href, pages)).toBe(expected)
  })

  it("to what only the repository has is none", () => {
    expect(linkFrom("docs/quickstarts.md", "../examples/express/server.mjs", pages)).toBeUndefined()
  })
})

describe("code blocks with labels", () => {
  it("that follow one another are tabs of one group", () => {
    expect(withTabs(`a\n\n${CURL}\n${PYTHON}\nb\n`)).toContain(
      '<div class="tabs" data-labels="curl|Python">\n\n```sh'
    )
    expect(tabsIn(`${CURL}\n${PYTHON}`)).toEqual([
      [
        { label: "curl", lang: "sh", code: "curl $PEYK" },
        { label: "Python", lang: "python", code: "peyk.otp" }
      ]
    ])
  })

  it("are two groups where text is between them, and none where they are alone", () => {
    expect(tabsIn(`${CURL}\n${PYTHON}\nText\n\n${CURL}\n${PYTHON}`)).toHaveLength(2)
    expect(tabsIn(CURL)).toEqual([])
  })

  it("become the tabs of the page that has the other languages, where they are alone", () => {
    expect(loneIn(`${CURL}\n${PYTHON}\nText\n\n${CURL}`)).toEqual([
      { label: "curl", lang: "sh", code: "curl $PEYK" }
    ])
    const whole = withTabs(`${CURL}\n${PYTHON}`)
    expect(withTabs(CURL, examplesOf([`${CURL}\n${PYTHON}`]))).toBe(whole)
    expect(() => withTabs(CURL, examplesOf([]))).toThrow("no page has the other languages")
  })

  /** With commands of the project beside it, a call is part of a script of the shell. */
  const isScript = (block: string): boolean => block.includes("npx peyk")

  it("are tabs wherever the API is called", () => {
    const blocks = sources.flatMap((file) =>
      [...read(file).matchAll(/^```(?:sh|bash|shell)( \[curl\])?\n([\s\S]*?)\n```$/gm)].map(
        ([, label, code = ""]) => ({ file, isTab: label !== undefined, code })
      )
    )
    const calls = blocks.filter(({ code }) => /\bcurl\b[\s\S]*\/v1\//.test(code) && !isScript(code))
    expect(calls.length).toBeGreaterThan(40)
    expect(calls.filter(({ isTab }) => !isTab).map(({ file, code }) => `${file}: ${code}`)).toEqual([])
  })

  it.each(sources)("have their other languages on some page: %s", (file) => {
    expect(
      loneIn(read(file))
        .map(({ code }) => code)
        .filter((code) => !examples.has(code))
    ).toEqual([])
  })
})

describe("a page under a strict policy", () => {
  it("has no style attribute, and no script in it", () => {
    const { page, files } = makeStrict()
    const html = page(
      '<head></head><p style="--depth: 1" class="a">x</p><script>run()</script><script src="/a.js"></script>'
    )
    expect(html).not.toMatch(/style="|run\(\)/)
    expect(html).toContain('<script src="/a.js"></script>')
    const { css, scripts } = files()
    expect(css).toMatch(/^\.s-\w+\{--depth: 1\}$/)
    expect(html).toMatch(/<p class="s-\w+ a">/)
    expect(scripts.map(([, code]) => code)).toEqual(["run()"])
  })

  it("keeps text that only looks like a style", () => {
    expect(makeStrict().page('<head></head><code>&lt;p style="x"&gt;</code>')).toContain(
      '&lt;p style="x"&gt;'
    )
  })
})

it("names headings as GitHub does", () => {
  expect(anchorOf("What is `next_cursor`, and why?")).toBe("what-is-next_cursor-and-why")
})
