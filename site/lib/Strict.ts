/** What a strict Content-Security-Policy forbids in a page moves to files: style attributes, styles and scripts. */
import { createHash } from "node:crypto"
import { BASE } from "./Documents.ts"

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 10)

/** Collects over all pages what they have inline. */
export const makeStrict = () => {
  const styles = new Map<string, string>()
  const scripts = new Map<string, string>()

  const classFor = (style: string): string => {
    const name = `s-${hashOf(style)}`
    styles.set(name, style.trim().replace(/;$/, ""))
    return name
  }

  const withoutStyleAttributes = (html: string): string =>
    html.replaceAll(/<[a-z][^<>]*?\sstyle="[^"]*"[^<>]*>/g, (tag) => {
      const [, style = ""] = /\sstyle="([^"]*)"/.exec(tag) ?? []
      const bare = tag.replace(/\sstyle="[^"]*"/, "")
      if (style === "") return bare
      const name = classFor(style.replaceAll("&quot;", '"'))
      return / class="/.test(bare)
        ? bare.replace(/ class="/, ` class="${name} `)
        : bare.replace(/^<[\w-]+/, (start) => `${start} class="${name}"`)
    })

  const withoutInlineScripts = (html: string): string =>
    html.replaceAll(
      /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/g,
      (whole, attributes: string, code: string) => {
        if (/type="application\//.test(attributes)) return whole
        const name = `${hashOf(code)}.js`
        scripts.set(name, code)
        return `<script${attributes} src="${BASE}_astro/${name}"></script>`
      }
    )

  /** A drawing in each heading is a sixth of a long page: the style sheet draws it. */
  const withoutAnchorDrawings = (html: string): string =>
    html.replaceAll(/(class="sl-anchor-icon">)<svg[\s\S]*?<\/svg>/g, "$1")

  return {
    page: (html: string): string =>
      withoutAnchorDrawings(withoutInlineScripts(withoutStyleAttributes(html)))
        .replace("</head>", `<link rel="stylesheet" href="${BASE}_astro/inline.STYLES.css"></head>`)
        .replaceAll(/href="\/docs\/(?:fa\/)?api\/"/g, `href="${BASE}api"`),
    /** The files that the pages need. */
    files: () => ({
      css: [...styles].map(([name, style]) => `.${name}{${style}}`).join("\n"),
      scripts: [...scripts]
    }),
    hashOf
  }
}
