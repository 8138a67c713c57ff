import { marked, type Token } from "marked"
import { existsSync, globSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { anchorOf } from "../../site/lib/Documents.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const isOwn = (file: string): boolean =>
  !/(^|\/)(node_modules|build|data|dist|site\/src\/content)(\/|$)/.test(file)
const filesAt = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync([...patterns], { cwd: root, exclude: (file) => !isOwn(file) })
const read = (file: string): string => readFileSync(`${root}${file}`, "utf8")

/** Links and headings of code blocks do not count. */
const partsOf = (markdown: string) => {
  const hrefs: Array<string> = []
  const anchors = new Set<string>()
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    if (token.type === "link" || token.type === "image") hrefs.push(token["href"])
    if (token.type === "heading") anchors.add(anchorOf(token["text"]))
  })
  return { hrefs, anchors }
}

const pages = filesAt("**/*.md")
const parts = new Map(pages.map((file) => [file, partsOf(read(file))]))

const isDead = (file: string, href: string): boolean => {
  if (/^(https?|mailto):/.test(href)) return false
  const [path = "", anchor] = href.split("#")
  const target = path === "" ? file : posix.join(posix.dirname(file), path)
  if (!existsSync(`${root}${target}`)) return true
  return anchor !== undefined && parts.get(target)?.anchors.has(decodeURI(anchor)) !== true
}

describe("the links of the documents", () => {
  it("lead to files and headings of the repository that exist", () => {
    expect(pages).toContain("bench/README.md")
    const dead = [...parts].flatMap(([file, { hrefs }]) =>
      hrefs.filter((href) => isDead(file, href)).map((href) => `${file}: ${href}`)
    )
    expect(dead).toEqual([])
  })

  it("name pages that exist, where programs and settings name them", () => {
    const naming = filesAt(
      "{src,bin,deploy,examples,scripts,bench}/**/*.{ts,js,mjs,yml,yaml,json,service}",
      ".env.example"
    )
    const missing = naming.flatMap((file) =>
      [...read(file).matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
        .filter(([page]) => !existsSync(`${root}${page}`))
        .map(([page]) => `${file}: ${page}`)
    )
    expect(missing).toEqual([])
  })
})
