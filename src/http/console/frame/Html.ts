/** A field of a form: where a link leads to it, and what people call it. */
export interface FormField {
  /** The name by which errors name it. */
  readonly name: string
  readonly id: string
  readonly label: string
}

const noFields: ReadonlyArray<FormField> = []

/** Markup that may be put into a page as it is. Only `html` makes it, so everything else is escaped. */
export class Html {
  readonly #markup: string
  /** The fields of forms in it, in order. */
  readonly fields: ReadonlyArray<FormField>
  private constructor(markup: string, fields: ReadonlyArray<FormField>) {
    this.#markup = markup
    this.fields = fields
  }

  /** `html` tags templates: what is put into them is escaped, unless it is markup itself. */
  static readonly template = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => {
    const fields = fieldsIn(parts)
    return new Html(strings.map((text, index) => text + render(parts[index], fields)).join(""), fields)
  }

  /** This markup, known as a field of a form. */
  asField(field: FormField): Html {
    return new Html(this.#markup, [field])
  }

  toString(): string {
    return this.#markup
  }
}

/** A part made from the form fields of the template that it is in, also from those below it. */
export type FieldsPart = (fields: ReadonlyArray<FormField>) => Html

/** The values that a template accepts; null, undefined and false render nothing. */
export type Part = Html | string | number | null | undefined | false | FieldsPart | ReadonlyArray<Part>

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

const fieldsIn = (parts: ReadonlyArray<Part>): ReadonlyArray<FormField> => {
  let found = noFields
  for (const part of parts) {
    const own = part instanceof Html ? part.fields : isList(part) ? fieldsIn(part) : noFields
    if (own.length > 0) found = found.length === 0 ? own : [...found, ...own]
  }
  return found
}

const render = (part: Part, fields: ReadonlyArray<FormField>): string => {
  if (part === null || part === undefined || part === false) return ""
  if (part instanceof Html) return part.toString()
  if (typeof part === "function") return part(fields).toString()
  return isList(part) ? part.map((each) => render(each, fields)).join("") : escapeText(String(part))
}

/** A template of a page's part. Attributes must be quoted. */
export const html = Html.template
