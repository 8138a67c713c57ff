/** What the pages of the repository are on the site: their addresses, titles, links and tabs. */
import { posix } from "node:path"

/** The site's path on a server. */
export const BASE = "/docs/"

/** Pages whose file has another name than their address. */
const RENAMED: Readonly<Record<string, string>> = {
  "README.md": "overview",
  "docs/fa/README.md": "fa/overview",
  "docs/fa/quickstart.md": "fa/quickstarts",
  // a server has the reference at /docs/api
  "docs/api.md": "calling-the-api",
  "docs/fa/api.md": "fa/calling-the-api"
}

/** The address of a page below the base: `verification`, `fa/verification`. */
export const slugOf = (file: string): string =>
  RENAMED[file] ??
  file
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .replace(/\/README$/, "")

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()

export const titleOf = (markdown: string): string => plain(/^# (.*)$/m.exec(markdown)?.[1] ?? "")

/** The first paragraph of prose: what a page is for. */
const descriptionOf = (markdown: string): string =>
  plain(
    markdown
      .replace(/^# .*$/m, "")
      .split(/\n{2,}/)
      .find((part) => /^[\p{L}`]/u.test(part.trim())) ?? ""
  )

/** A link to another page of the site, or the same; undefined for files that only the repository has. */
export const linkFrom = (file: string, href: string, pages: ReadonlySet<string>): string | undefined => {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [path = "", anchor] = href.split("#")
  const target = posix.join(posix.dirname(file), path).replace(/\/$/, "")
  const page = [target, `${target}/README.md`].find((each) => pages.has(each))
  return page === undefined ? undefined : `${BASE}${slugOf(page)}/${anchor === undefined ? "" : `#${anchor}`}`
}

const FENCE = "(?:<!-- [^\\n]*-->\\n+)?```\\w+ \\[[^\\]\\n]+\\]\\n[\\s\\S]*?\\n```\\n"
const GROUP = new RegExp(`^(?:${FENCE}\\n*)+`, "gm")

export interface Sample {
  readonly label: string
  readonly lang: string
  readonly code: string
}

const samplesIn = (group: string): ReadonlyArray<Sample> =>
  [...group.matchAll(/^```(\w+) \[([^\]\n]+)\]\n([\s\S]*?)\n```$/gm)].map(
    ([, lang = "", label = "", code = ""]) => ({ lang, label, code })
  )

/** The groups of tabs of a page: code blocks that follow one another and have a label (```` ```ts [TypeScript] ````). */
export const tabsIn = (markdown: string): ReadonlyArray<ReadonlyArray<Sample>> =>
  [...markdown.matchAll(GROUP)].map(([group]) => samplesIn(group)).filter(({ length }) => length > 1)

/** The labelled blocks of a page that stand alone: each is an example whose other languages another page has. */
export const loneIn = (markdown: string): ReadonlyArray<Sample> =>
  [...markdown.matchAll(GROUP)].flatMap(([group]) => {
    const samples = samplesIn(group)
    return samples.length === 1 ? samples : []
  })

/** All languages of an example, by the code of its first one. */
export type Examples = ReadonlyMap<string, ReadonlyArray<Sample>>

/** @param pages the pages' Markdown */
export const examplesOf = (pages: ReadonlyArray<string>): Examples =>
  new Map(pages.flatMap(tabsIn).flatMap((tabs) => tabs.slice(0, 1).map(({ code }) => [code, tabs])))

const fenced = ({ lang, label, code }: Sample): string => `\`\`\`${lang} [${label}]\n${code}\n\`\`\``

/** Makes the tabs of each group. A labelled block that stands alone becomes those of the example that it begins. */
export const withTabs = (markdown: string, examples: Examples = new Map()): string =>
  markdown.replaceAll(GROUP, (group) => {
    const own = samplesIn(group)
    const tabs = own.length > 1 ? own : examples.get(own[0]?.code ?? "")
    if (tabs === undefined) throw new Error(`no page has the other languages of this example:\n${group}`)
    const labels = tabs.map(({ label }) => label).join("|")
    return `<div class="tabs" data-labels="${labels}">\n\n${tabs.map(fenced).join("\n\n")}\n\n</div>\n\n`
  })

const PICTURE = /(!\[[^\]]*\]\()([^)]+\.png)(\))/g

/** Where the picture of a page stands, from the prepared page. */
const withPictures = (file: string, markdown: string): string =>
  markdown.replaceAll(PICTURE, (_, before: string, href: string, after: string) => {
    const picture = posix.join(posix.dirname(file), href).replace(/^docs\//, "")
    return `${before}${posix.relative(posix.dirname(preparedFile(file)), picture)}${after}`
  })

/** The file of a page among the generator's content. */
export const preparedFile = (file: string): string =>
  file.endsWith("/decisions/README.md") ? "decisions/index.md" : `${slugOf(file)}.md`

/** A page as the generator takes it: the title and what it is for go before the text. */
export const prepared = (file: string, markdown: string, examples: Examples): string => {
  const front = { title: titleOf(markdown), description: descriptionOf(markdown), source: file }
  const text = withPictures(file, withTabs(markdown.replace(/^# .*\n/m, ""), examples))
    // the title is not a heading of the text any more
    .replaceAll(`](#${anchorOf(front.title)})`, "](#_top)")
  const lines = Object.entries(front).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${lines.join("\n")}\n---\n${text}`
}
