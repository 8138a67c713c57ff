/** JSON as text, with what `JSON.stringify` cannot write: repeated keys, and numbers that no double holds. */

/** Written as it is. */
export class Verbatim {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An object by its entries, so that a key can come twice. */
export class Entries {
  readonly entries: ReadonlyArray<readonly [string, unknown]>
  constructor(entries: ReadonlyArray<readonly [string, unknown]>) {
    this.entries = entries
  }
}

export const jsonText = (value: unknown): string => {
  if (value instanceof Verbatim) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`
  const entries =
    value instanceof Entries
      ? value.entries
      : typeof value === "object" && value !== null
        ? Object.entries(value)
        : undefined
  if (entries === undefined) return JSON.stringify(value) ?? "null"
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${jsonText(each)}`).join(",")}}`
}
