import { readFileSync, writeFileSync } from "node:fs"
import { segmentsOf } from "../src/layers/system/SourceStacks.ts"

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const encoded = (number: number): string => {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let digits = ""
  do {
    const bits = rest & 31
    rest >>>= 5
    digits += DIGITS[rest === 0 ? bits : bits | 32]
  } while (rest !== 0)
  return digits
}

/** The mappings without the columns of the source: stacks name its lines, and columns are three quarters of a map. */
export const onlyLines = (mappings: string): string => {
  let text = ""
  let last = { line: 0, column: 0, source: 0, sourceLine: 0 }
  let isFirst = true
  for (const segment of segmentsOf(mappings)) {
    const isNewLine = isFirst || segment.line !== last.line
    if (!isNewLine && segment.source === last.source && segment.sourceLine === last.sourceLine) continue
    text += isNewLine ? ";".repeat(segment.line - last.line) : ","
    const column = segment.line === last.line ? segment.column - last.column : segment.column
    const numbers = [column, segment.source - last.source, segment.sourceLine - last.sourceLine, 0]
    text += numbers.map(encoded).join("")
    last = segment
    isFirst = false
  }
  return text
}

export const keepOnlyLines = (file: string): void => {
  const map = JSON.parse(readFileSync(file, "utf8"))
  writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: onlyLines(map.mappings) }))
}
