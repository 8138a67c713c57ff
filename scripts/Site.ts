import { marked, Renderer, type Tokens } from "marked"
import { posix } from "node:path"

export interface Source {
  /** From the root of the repository. */
  readonly file: string
  readonly markdown: string
}

/** Where a page of the repository is on the site. */
const pageOf = (file: string): string =>
  file === "README.md"
    ? "index.html"
    : file
        .replace(/^docs\//, "")
        .replace(/README\.md$/, "index.md")
        .replace(/\.md$/, ".html")

const titleOf = (markdown: string): string => /^# (.*)$/m.exec(markdown)?.[1]?.replaceAll("`", "") ?? ""

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** A link to another page of the site; undefined for files that are only in the repository. */
const linkFrom = (file: string, href: string, pages: ReadonlySet<string>): string | undefined => {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [path = "", anchor] = href.split("#")
  const wanted = posix.join(posix.dirname(file), path)
  const isPicture = wanted.endsWith(".png")
  const found = isPicture ? wanted : [wanted, `${wanted}/README.md`].find((each) => pages.has(each))
  if (found === undefined) return undefined
  const to = isPicture ? wanted.replace(/^docs\//, "") : pageOf(found)
  return posix.relative(posix.dirname(pageOf(file)), to) + (anchor === undefined ? "" : `#${anchor}`)
}

const rendererFor = (file: string, pages: ReadonlySet<string>): Renderer => {
  const renderer = new Renderer()
  renderer.heading = function ({ tokens, depth, text }: Tokens.Heading) {
    return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
  }
  renderer.link = function ({ href, tokens }: Tokens.Link) {
    const to = linkFrom(file, href, pages)
    const inner = this.parser.parseInline(tokens)
    return to === undefined ? inner : `<a href="${escape(to)}">${inner}</a>`
  }
  renderer.image = ({ href, text }: Tokens.Image) =>
    `<img src="${escape(linkFrom(file, href, pages) ?? href)}" alt="${escape(text)}" />`
  return renderer
}

const STYLE = `:root{color-scheme:light dark;--line:light-dark(#ddd,#3a3f47);--soft:light-dark(#f5f6f8,#1c2026)}
body{margin:0 auto;max-width:75rem;padding:1rem;font:17px/1.6 system-ui,Vazirmatn,sans-serif}
nav a{display:block;font-size:.9rem}main{min-width:0}pre{background:var(--soft);padding:.75rem;overflow:auto;direction:ltr;text-align:left}
code{font-size:.9em;unicode-bidi:isolate;direction:ltr}table{border-collapse:collapse;display:block;overflow:auto}th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:start}
img{max-width:100%}input{font:inherit;width:100%;box-sizing:border-box}
@media(min-width:60rem){body{display:grid;grid-template-columns:15rem 1fr;gap:2rem}}`

/** All words must occur; pages whose title has one come first. */
const SEARCH = `const box = document.querySelector("#search"), list = document.querySelector("#found")
let pages
box.addEventListener("input", async () => {
  pages ??= await (await fetch(box.dataset.base + "search.json")).json()
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean)
  const found = words.length === 0 ? [] : pages.filter(({ text }) => words.every((word) => text.includes(word)))
  const rank = ({ title }) => words.some((word) => title.toLowerCase().includes(word)) ? 0 : 1
  list.replaceChildren(...found.sort((a, b) => rank(a) - rank(b)).slice(0, 20).map(({ title, page }) =>
    Object.assign(document.createElement("a"), { textContent: title, href: box.dataset.base + page, dir: "auto" })))
})
`

const isPersian = (file: string): boolean => file.startsWith("docs/fa/")

const layout = (source: Source, content: string, menu: string, base: string): string =>
  `<!doctype html>
<html lang="${isPersian(source.file) ? "fa" : "en"}" dir="${isPersian(source.file) ? "rtl" : "ltr"}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(titleOf(source.markdown))}</title><style>${STYLE}</style>
<nav><input id="search" type="search" aria-label="Search" placeholder="Search" data-base="${base}"><div id="found" role="status"></div>
${menu}</nav>
<main>${content}</main>
<script src="${base}search.js" defer></script>
</html>
`

/** A part of a page from one heading to the next, for the search. */
const partsOf = ({ file, markdown }: Source) =>
  markdown.split(/^(?=#{1,3} )/m).flatMap((part) => {
    const [, heading] = /^#{1,3} (.*)$/m.exec(part) ?? []
    if (heading === undefined) return []
    const title = heading.replaceAll("`", "")
    return [{ title, page: `${pageOf(file)}#${anchorOf(heading)}`, text: part.toLowerCase() }]
  })

/** The files of the site by their paths. */
export const makeSite = (sources: ReadonlyArray<Source>): ReadonlyMap<string, string> => {
  const pages = new Set(sources.map(({ file }) => file))
  const listed = sources.filter(({ file }) => !/decisions\/\d/.test(file))
  const files = new Map<string, string>()
  for (const source of sources) {
    const page = pageOf(source.file)
    const menu = listed
      .map(
        ({ file, markdown }) =>
          `<a href="${posix.relative(posix.dirname(page), pageOf(file))}"${isPersian(file) ? ' lang="fa"' : ""} dir="auto">${escape(titleOf(markdown))}</a>`
      )
      .join("\n")
    const base = "../".repeat(page.split("/").length - 1)
    const content = marked.parse(source.markdown, { renderer: rendererFor(source.file, pages), async: false })
    files.set(page, layout(source, content, menu, base))
  }
  files.set("search.js", SEARCH)
  files.set("search.json", JSON.stringify(sources.flatMap(partsOf)))
  return files
}
