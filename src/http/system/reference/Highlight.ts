/** Colours for code: strings, words of the language, names of calls and fields. The colours are the site's. */
import { html, type Html } from "../../console/frame/Html.ts"
import type { Language } from "./Calls.ts"

export type CodeLanguage = Language | "JSON" | "Shell"

type Kind = "string" | "keyword" | "function" | "constant" | "comment" | "key"

/** One letter each: a page has thousands of them. */
const CLASSES: Readonly<Record<Kind, string>> = {
  string: "s",
  keyword: "k",
  function: "f",
  constant: "c",
  comment: "m",
  key: "y"
}

/** What a piece of code is, by the first pattern that fits it where it starts. */
type Patterns = ReadonlyArray<readonly [kind: Kind | null, pattern: RegExp]>

const STRINGS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y
const NUMBER = /\b\d+(?:\.\d+)?\b/y
const CALL = /[A-Za-z_]\w*(?=\()/y
const OTHER = /[A-Za-z_]\w*/y

const json: Patterns = [
  ["key", /"(?:[^"\\]|\\.)*"(?=\s*:)/y],
  ["string", /"(?:[^"\\]|\\.)*"/y],
  ["constant", /\b(?:true|false|null)\b/y],
  ["constant", NUMBER]
]

const shell: Patterns = [
  ["comment", /#[^\n]*/y],
  ["string", /"[^"]*"|'[^']*'/y],
  ["function", /\b(?:curl|export|npm|pip|composer)\b/y],
  ["constant", /(?<=\s)-{1,2}[A-Za-z][\w-]*/y],
  [null, OTHER]
]

const withWords = (words: string, comment: RegExp, key?: RegExp): Patterns => [
  ["comment", comment],
  ["string", STRINGS],
  ["keyword", new RegExp(`\\b(?:${words})\\b`, "y")],
  ["constant", /\b(?:true|false|null|True|False|None)\b/y],
  ...(key === undefined ? [] : [["key", key] as const]),
  ["function", CALL],
  ["constant", NUMBER],
  [null, OTHER]
]

const PATTERNS: Readonly<Record<CodeLanguage, Patterns>> = {
  curl: shell,
  Shell: shell,
  JSON: json,
  TypeScript: withWords("import|from|const|await|new|process", /\/\/[^\n]*/y, /[A-Za-z_]\w*(?=:)/y),
  Python: withWords("import|from|os", /#[^\n]*/y, /[A-Za-z_]\w*(?==[^=])/y),
  PHP: withWords("require|new|use|object", /\/\/[^\n]*/y, /[A-Za-z_]\w*(?=:[^:])/y)
}

const pieceAt = (code: string, at: number, patterns: Patterns) => {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at
    const found = pattern.exec(code)?.[0]
    if (found !== undefined && found !== "") return { kind, text: found }
  }
  return { kind: null, text: code.charAt(at) }
}

/** Code with a class at each piece that has a colour. */
export const highlighted = (code: string, language: CodeLanguage): Html => {
  const patterns = PATTERNS[language]
  const parts: Array<Html | string> = []
  let plain = ""
  for (let at = 0; at < code.length;) {
    const { kind, text } = pieceAt(code, at, patterns)
    at += text.length
    if (kind === null) {
      plain += text
      continue
    }
    parts.push(plain, html`<i class="${CLASSES[kind]}">${text}</i>`)
    plain = ""
  }
  return html`${parts}${plain}`
}
