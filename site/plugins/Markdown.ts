/** How the pages' Markdown becomes HTML: links within the site, tabs of code, colours as classes. */
import { defineHastPlugin } from "satteri"
import type { ShikiTransformer } from "shiki"
import { linkFrom } from "../lib/Documents.ts"

const sourceOf = (ctx: { readonly data: object }): string =>
  (ctx.data as { readonly astro: { readonly frontmatter: { readonly source?: string } } }).astro.frontmatter
    .source ?? "README.md"

/**
 * Links lead to pages of the site. What only the repository has is no link.
 * @param titles the titles of pages by their paths
 */
export const links = (pages: ReadonlySet<string>, titles: ReadonlyMap<string, string>) =>
  defineHastPlugin({
    name: "peyk-links",
    element: {
      filter: ["a"],
      visit(node, ctx) {
        const href = node.properties["href"]
        if (typeof href !== "string") return
        // the pages name the address of a server on the reader's machine; the site is served by one
        const to = linkFrom(sourceOf(ctx), href.replace(/^http:\/\/127\.0\.0\.1:8080(?=\/docs\b)/, ""), pages)
        if (to === undefined) return { ...node, tagName: "span", properties: {} }
        ctx.setProperty(node, "href", to)
        const title = titles.get(to.replace(/#.*$/, ""))
        // in the repository a page is named by its file
        if (title !== undefined && /^[\w./-]+\.md$/.test(ctx.textContent(node)))
          return { ...node, properties: { href: to }, children: [{ type: "text", value: title }] }
      }
    }
  })

/** A column without a name has no header. */
export const emptyHeaders = () =>
  defineHastPlugin({
    name: "peyk-empty-headers",
    element: {
      filter: ["th"],
      visit(node, ctx) {
        if (ctx.textContent(node).trim() === "") return { ...node, tagName: "td" }
      }
    }
  })

type Line = {
  children: Array<{ type: string; properties?: Record<string, unknown>; children?: Array<unknown> }>
}

/** Long names, such as those of settings, break between their words, and not where a narrow column ends. */
export const breakableNames = () =>
  defineHastPlugin({
    name: "peyk-breakable-names",
    element: {
      filter: ["code"],
      visit(node, ctx) {
        const text = ctx.textContent(node)
        if (!/^[\w.<>/{}-]{14,}$/.test(text)) return
        const pieces = text.split(/(?<=[_/.])(?=\w)/)
        const children = pieces.flatMap((value, index) => [
          ...(index > 0 ? [{ type: "element" as const, tagName: "wbr", properties: {}, children: [] }] : []),
          { type: "text" as const, value }
        ])
        return { ...node, children }
      }
    }
  })

/** The theme's colours are variables: each gets a class, and plain text no element at all. */
export const classesForColours: ShikiTransformer = {
  name: "peyk-classes",
  pre(node) {
    delete node.properties["style"]
    node.properties["class"] = "code"
    node.properties["dir"] = "ltr"
  },
  span(node) {
    const style = String(node.properties["style"] ?? "")
    const name = /--t-(?:token-)?([\w-]+)\)/.exec(style)?.[1]
    delete node.properties["style"]
    if (name !== undefined && name !== "foreground") node.properties["class"] = `t-${name}`
  },
  line(node) {
    delete node.properties["class"]
    const line = node as unknown as Line
    line.children = line.children.flatMap((child) =>
      child.properties !== undefined && child.properties["class"] === undefined
        ? ((child.children ?? []) as Line["children"])
        : [child]
    )
  }
}
