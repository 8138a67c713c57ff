/** What the search knows: each page in parts, from one heading to the next. */
import { anchorOf, titleOf } from "./Documents.ts"

export interface Part {
  /** The address of the page, and the anchor of the heading. */
  readonly page: string
  readonly anchor: string
  /** The title of the page, and the heading: empty before the first one. */
  readonly title: string
  readonly heading: string
  readonly text: string
}

/** Lines without Markdown's signs; code stays, as it is searched too. */
const plain = (markdown: string): string =>
  markdown
    .replaceAll(/<!--[\s\S]*?-->/g, " ")
    .replaceAll(/^```.*$/gm, " ")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^\s*\|?(?:\s*:?-{3,}:?\s*\|)+.*$/gm, " ")
    .replaceAll(/^\s*\||\|\s*$/gm, " ")
    .replaceAll(/ \| /g, " · ")
    .replaceAll(/[`*]|^>\s/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()

/** Headings of the text: a `#` in a block of code is a comment. */
export const partsOf = (page: string, markdown: string): ReadonlyArray<Part> => {
  const title = titleOf(markdown)
  const used = new Map<string, number>()
  const parts: Array<{ heading: string; anchor: string; lines: Array<string> }> = [
    { heading: "", anchor: "", lines: [] }
  ]
  let isCode = false
  for (const line of markdown.split("\n")) {
    if (line.trimStart().startsWith("```")) isCode = !isCode
    const heading = isCode ? undefined : /^#{2,4} (.*)$/.exec(line)?.[1]
    if (heading === undefined) {
      if (isCode || !line.startsWith("# ")) parts.at(-1)?.lines.push(line)
      continue
    }
    const anchor = anchorOf(plain(heading))
    const times = used.get(anchor) ?? 0
    used.set(anchor, times + 1)
    parts.push({ heading: plain(heading), anchor: times === 0 ? anchor : `${anchor}-${times}`, lines: [] })
  }
  return parts
    .map(({ heading, anchor, lines }) => ({ page, anchor, title, heading, text: plain(lines.join("\n")) }))
    .filter(({ heading, text }) => heading !== "" || text !== "")
}
