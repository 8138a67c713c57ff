/** Texts of the API document and of the documentation: Markdown with code spans and links. */
import { html, type Html } from "../../console/frame/Html.ts"
import type { ApiDocument } from "./ApiDocument.ts"

/** Pages of docs whose address on the site is another. */
const RENAMED: Readonly<Record<string, string>> = { api: "calling-the-api" }

/** `limits.md#how` is `/docs/limits/#how`: docs/errors.md links to pages next to it. */
const addressOf = (href: string): string => {
  const [, page, anchor = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return page === undefined ? href : `/docs/${RENAMED[page] ?? page}/${anchor}`
}

const withCode = (text: string): Html =>
  html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/

/** The other Markdown stays as it is. */
export const prose = (markdown = ""): Html => {
  // every third part is the text of a link, and the next its address
  const parts = markdown.split(new RegExp(LINK, "g"))
  return html`${parts.map((part, index) => {
    if (index % 3 === 2) return null
    if (index % 3 === 0) return withCode(part)
    return html`<a href="${addressOf(parts[index + 1] ?? "")}">${withCode(part)}</a>`
  })}`
}

/** The words alone, without links and code marks. */
export const plain = (markdown = ""): string =>
  markdown.replaceAll(new RegExp(LINK, "g"), "$1").replaceAll("`", "")

/** The sections of docs/errors.md whose heading is a code: what stands after the status and the message. */
const adviceIn = (markdown: string): ReadonlyMap<string, string> =>
  new Map(
    markdown.split(/^#{2,3} /m).flatMap((section) => {
      const [, code, text = ""] = /^`(\w+)`\n([^]*)$/.exec(section) ?? []
      const paragraphs = text
        .trim()
        .split(/\n{2,}/)
        .filter((paragraph) => !paragraph.startsWith("**"))
      return code === undefined ? [] : [[code, paragraphs.join(" ").replaceAll("\n", " ")] as const]
    })
  )

/** The document, and at each error code what to do about it. */
export const withAdvice = (document: ApiDocument, errorsPage: string): ApiDocument => {
  const advice = adviceIn(errorsPage)
  const codes = Object.entries(document["x-error-codes"]).map(
    ([code, entry]) => [code, { ...entry, advice: advice.get(code) ?? entry.message }] as const
  )
  return { ...document, "x-error-codes": Object.fromEntries(codes) }
}
