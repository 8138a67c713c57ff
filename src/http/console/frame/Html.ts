/** Markup that may be put into a page as it is. Only `html` makes it, so everything else is escaped. */
export class Html {
  readonly #markup: string
  private constructor(markup: string) {
    this.#markup = markup
  }

  /** `html` tags templates: what is put into them is escaped, unless it is markup itself. */
  static readonly template = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
    new Html(strings.map((text, index) => text + render(parts[index])).join(""))

  toString(): string {
    return this.#markup
  }
}

/** The values that a template accepts; null, undefined and false render nothing. */
export type Part = Html | string | number | null | undefined | false | ReadonlyArray<Part>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Safe between tags and in quoted attributes. */
const escapeText = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => entities[found] ?? "")

const isList = (part: Part): part is ReadonlyArray<Part> => Array.isArray(part)

const render = (part: Part): string => {
  if (part === null || part === undefined || part === false) return ""
  if (part instanceof Html) return part.toString()
  return isList(part) ? part.map(render).join("") : escapeText(String(part))
}

/** A template of a page's part. Attributes must be quoted. */
export const html = Html.template
