/** The pages of the clone as an npm package has them. */
import { marked, type Token } from "marked"
import { posix } from "node:path"

/**
 * A page without links to what the package does not have: their texts stay, and such pictures go.
 * @param has tells whether the package has a file or folder, by its path from the root
 */
export const withoutMissingLinks = (page: string, text: string, has: (path: string) => boolean): string => {
  const isMissing = (href: string): boolean => {
    const [path = ""] = href.split("#")
    return path !== "" && !/^[a-z]+:/.test(href) && !has(posix.join(posix.dirname(page), path))
  }
  let kept = text
  // Links in code are none.
  marked.walkTokens(marked.lexer(text), (token: Token) => {
    if (token.type !== "link" && token.type !== "image") return
    if (isMissing(token["href"]))
      kept = kept.replaceAll(token.raw, token.type === "link" ? token["text"] : "")
  })
  return kept
}
