/** The pages of the clone as an npm package has them. */
import { posix } from "node:path"

/** An image, or a link; the target without its heading. */
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)#\s]+)(#[^)\s]*)?\)/g

/**
 * A page without links to what the package does not have: their texts stay, and such pictures go.
 * @param has tells whether the package has a file or folder, by its path from the root
 */
export const withoutMissingLinks = (page: string, text: string, has: (path: string) => boolean): string =>
  text.replaceAll(LINK, (link: string, image: string, label: string, target: string) => {
    if (/^[a-z]+:/.test(target)) return link
    const path = posix.join(posix.dirname(page), target)
    if (has(path)) return link
    return image === "" ? label : ""
  })
