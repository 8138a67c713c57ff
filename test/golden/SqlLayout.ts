/** Strings, quoted names, brackets and commas, and everything between them. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|[(),]|[^\s(),'"]+/g

const CLAUSES = new Set(
  "select from where insert update delete returning union group having order limit left join on for".split(
    " "
  )
)
/** Words after which the next one begins no clause: `left join`, `for update`, `do update`, `distinct from`. */
const JOINED_TO_NEXT = new Set(["left", "do", "for", "distinct", "insert", "delete", "all"])
const WRAPS_BEFORE = new Set(["and", "or", "when", "else", "then", "end", "set"])
const MAX_WIDTH = 100
const INDENT = "  "

interface Token {
  readonly word: string
  /** Nothing stood before it: `count(`, `'x'::text`. */
  readonly isGlued: boolean
}

/** A pair of brackets: around a query, whose clauses have lines of their own, or around anything else. */
interface Frame {
  readonly isQuery: boolean
  readonly depth: number
  /** Commas separate the parts of its `with`. */
  isInParts: boolean
}

const tokensOf = (text: string): ReadonlyArray<Token> =>
  [...text.matchAll(TOKEN)].map(({ 0: word, index }) => ({
    word,
    isGlued: index > 0 && !/\s/.test(text[index - 1] ?? "")
  }))

const beginsQuery = (word: string | undefined): boolean =>
  ["select", "insert", "update", "delete", "with"].includes(word ?? "")

const beginsClause = (word: string, previous: string, next: string): boolean => {
  if (!CLAUSES.has(word) || JOINED_TO_NEXT.has(previous)) return word === "select" && previous === "all"
  if (word === "on") return next === "conflict"
  return word !== "for" || next === "update"
}

/** Lays a statement out for a reader. Only white space between words changes. */
export const layOutSql = (text: string): string => {
  const tokens = tokensOf(text)
  const lines: Array<string> = []
  const frames: Array<Frame> = []
  let frame: Frame = { isQuery: true, depth: 0, isInParts: false }
  let line = ""
  const breakLine = (depth: number) => {
    if (line.trim() !== "") lines.push(line.trimEnd())
    line = INDENT.repeat(depth)
  }
  const write = ({ word, isGlued }: Token, previous: string) => {
    const hasNoSpace = isGlued || line.trim() === "" || word === "," || word === ")" || previous === "("
    line += hasNoSpace ? word : ` ${word}`
  }
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1]?.word ?? ""
    const next = tokens[index + 1]?.word ?? ""
    const { word } = token
    if (word === ")") {
      write(token, previous)
      frame = frames.pop() ?? frame
      continue
    }
    if (frame.isQuery) {
      if (word === "with" && next !== "ordinality") frame.isInParts = true
      else if (beginsQuery(word)) frame.isInParts = false
      const isPart = frame.isInParts && (previous === "," || previous === "with")
      if (isPart || (index > 0 && previous !== "(" && beginsClause(word, previous, next)))
        breakLine(frame.depth)
    }
    if (word === "when" && previous !== "case") breakLine(frame.depth + 1)
    const mayWrap = previous === "," || WRAPS_BEFORE.has(word)
    if (mayWrap && line.length + word.length > MAX_WIDTH) breakLine(frame.depth + 1)
    write(token, previous)
    if (word === "(") {
      const isQuery = beginsQuery(next)
      frames.push(frame)
      frame = { isQuery, depth: isQuery ? frame.depth + 1 : frame.depth, isInParts: false }
      if (isQuery) breakLine(frame.depth)
    }
  }
  breakLine(0)
  return lines.join("\n")
}
