/**
 * The program is bundled into few files. After `showSourcesInStacks`, stacks name the lines of its source instead:
 * `src/http/Api.ts:12`. Node's own support for source maps reads all of them at the start, and keeps megabytes of each
 * in memory. This reads the map of a file when somebody looks at a stack that leads through the file.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

interface SourceMap {
  readonly sources: ReadonlyArray<string>
  readonly mappings: string
}

/** In a bundled file; both begin at 0, as in its map. */
interface Position {
  readonly line: number
  readonly column: number
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const valueOf = new Uint8Array(128)
for (let value = 0; value < DIGITS.length; value += 1) valueOf[DIGITS.charCodeAt(value)] = value
/** Beside five bits of the number, a digit says whether another one follows. */
const CONTINUES = 32

interface Segment extends Position {
  readonly source: number
  readonly sourceLine: number
}

/** What the mappings say of each piece of a line, from the first line on. */
export function* segmentsOf(mappings: string): Generator<Segment> {
  let line = 0
  const fields = [0, 0, 0, 0, 0]
  let field = 0
  let value = 0
  let shift = 0
  for (let at = 0; at <= mappings.length; at += 1) {
    const character = mappings[at]
    if (character === "," || character === ";" || character === undefined) {
      if (field >= 4) {
        const [column = 0, source = 0, sourceLine = 0] = fields
        yield { line, column, source, sourceLine }
      }
      field = 0
      if (character === ";") {
        line += 1
        fields[0] = 0
      }
      continue
    }
    const bits = valueOf[mappings.charCodeAt(at)] ?? 0
    value |= (bits & (CONTINUES - 1)) << shift
    shift += 5
    if ((bits & CONTINUES) !== 0) continue
    // the lowest bit is the sign; each number is a difference to the same one before
    fields[field] = (fields[field] ?? 0) + ((value & 1) === 1 ? -(value >>> 1) : value >>> 1)
    field += 1
    value = 0
    shift = 0
  }
}

/** The line of the source that a position was made of. */
export const sourceLineAt = ({ mappings, sources }: SourceMap, { line, column }: Position) => {
  let found: Segment | undefined
  for (const segment of segmentsOf(mappings)) {
    if (segment.line > line || (segment.line === line && segment.column > column)) break
    if (segment.line === line) found = segment
  }
  const source = found === undefined ? undefined : sources[found.source]
  // relative to the map, which may have been made elsewhere
  return source === undefined || found === undefined
    ? undefined
    : `${source.replace(/^(?:\.\.\/)+/, "")}:${found.sourceLine + 1}`
}

const inSource = (frame: string, file: string, position: Position): string => {
  try {
    const source = sourceLineAt(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, "utf8")), position)
    return source === undefined
      ? frame
      : frame.replace(`${file}:${position.line + 1}:${position.column + 1}`, source)
  } catch {
    // it has no map
    return frame
  }
}

/** Some programs throw the same errors again and again. */
const MAX_KEPT = 1000
const kept = new Map<string, string>()

const shownFrame = (frame: NodeJS.CallSite): string => {
  const text = String(frame)
  const file = frame.getFileName() ?? ""
  if (!file.startsWith("file:") || !file.endsWith(".js")) return text
  const known = kept.get(text)
  if (known !== undefined) return known
  const position = { line: (frame.getLineNumber() ?? 1) - 1, column: (frame.getColumnNumber() ?? 1) - 1 }
  const shown = inSource(text, file, position)
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(text, shown)
  return shown
}

/** What V8 writes before the frames. */
const headOf = (error: Error): string => {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return "Error"
  }
}

export const showSourcesInStacks = (): void => {
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${shownFrame(frame)}`)].join("\n")
}
