/** JSON as each language writes it: on one line if it is short, else a field a line. */

const WIDTH = 76

interface Syntax {
  readonly indent: number
  readonly text: (value: string) => string
  readonly words: readonly [yes: string, no: string, none: string]
  readonly key: (name: string) => string
  readonly object: readonly [open: string, close: string]
  readonly emptyObject: string
  /** Whether the braces of an object have spaces inside. */
  readonly isSpaced: boolean
  readonly hasTrailingComma: boolean
}

const json = (value: unknown): string => JSON.stringify(value)

const inPhpText = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

const isName = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

const inJson: Syntax = {
  indent: 2,
  text: json,
  words: ["true", "false", "null"],
  key: (name) => `${json(name)}: `,
  object: ["{", "}"],
  emptyObject: "{}",
  isSpaced: true,
  hasTrailingComma: false
}

const inTypeScript: Syntax = { ...inJson, key: (name) => `${isName(name) ? name : json(name)}: ` }

const inPython: Syntax = {
  ...inJson,
  indent: 4,
  words: ["True", "False", "None"],
  isSpaced: false,
  hasTrailingComma: true
}

const inPhp: Syntax = {
  indent: 4,
  text: inPhpText,
  words: ["true", "false", "null"],
  key: (name) => `${inPhpText(name)} => `,
  object: ["[", "]"],
  // an empty array of PHP would become a JSON list
  emptyObject: "(object) []",
  isSpaced: false,
  hasTrailingComma: true
}

interface Parts {
  readonly open: string
  readonly close: string
  readonly items: ReadonlyArray<string>
  readonly isSpaced?: boolean
}

/** Parts of a list, an object or a call, where a line has room for them; else each on its own line. */
const enclose = (
  { open, close, items, isSpaced = false }: Parts,
  { indent, hasTrailingComma }: Pick<Syntax, "indent" | "hasTrailingComma">,
  before: number
): string => {
  const space = isSpaced ? " " : ""
  const line = `${open}${space}${items.join(", ")}${space}${close}`
  const isShort = before + line.length <= WIDTH && !line.includes("\n")
  if (isShort) return line
  const margin = " ".repeat(indent)
  const lines = items.map((item) => `${margin}${item.replaceAll("\n", `\n${margin}`)}`)
  return `${open}\n${lines.join(",\n")}${hasTrailingComma ? "," : ""}\n${close}`
}

const literal = (value: unknown, syntax: Syntax, before: number): string => {
  const [yes, no, none] = syntax.words
  if (value === null || value === undefined) return none
  if (typeof value === "boolean") return value ? yes : no
  if (typeof value === "string") return syntax.text(value)
  if (typeof value !== "object") return json(value)
  const inner = before + syntax.indent
  if (Array.isArray(value)) {
    const items = value.map((each) => literal(each, syntax, inner))
    return items.length === 0 ? "[]" : enclose({ open: "[", close: "]", items }, syntax, before)
  }
  const items = Object.entries(value).map(([name, each]) => {
    const key = syntax.key(name)
    return `${key}${literal(each, syntax, inner + key.length)}`
  })
  if (items.length === 0) return syntax.emptyObject
  const [open, close] = syntax.object
  return enclose({ open, close, items, isSpaced: syntax.isSpaced }, syntax, before)
}

/** How a value is written in a language; `before` is how many characters stand before it on its line. */
const writer =
  (syntax: Syntax) =>
  (value: unknown, before = 0): string =>
    literal(value, syntax, before)

export const asJson = writer(inJson)
export const asTypeScript = writer(inTypeScript)
export const asPython = writer(inPython)
export const asPhp = writer(inPhp)

/** A call with its arguments, which may be literals of several lines. */
const callIn =
  (syntax: Syntax) =>
  (name: string, given: ReadonlyArray<string>): string => {
    // one argument of several lines needs no line of its own
    if (given.length === 1 && given[0]?.startsWith(syntax.object[0]) === true) return `${name}(${given[0]})`
    if (given.length === 0) return `${name}()`
    return enclose({ open: `${name}(`, close: ")", items: given }, syntax, 0)
  }

export const typescriptCall = callIn(inTypeScript)
export const pythonCall = callIn(inPython)
export const phpCall = callIn(inPhp)
