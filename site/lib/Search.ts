/** Finds parts of pages by words: all of them, else as many as there are; titles count more than text. */
import MiniSearch, { type Query, type SearchOptions } from "minisearch"
import type { Part } from "./SearchParts.ts"
import { synonymsOf, wordsOf, wordsOfQuestion } from "./Words.ts"

export interface FoundPart extends Part {
  /** The words of the text that were found. */
  readonly words: ReadonlySet<string>
}

/** A page, with its parts that were found, the best first. */
export interface FoundPage {
  readonly page: string
  readonly title: string
  readonly parts: ReadonlyArray<FoundPart>
}

const OPTIONS = { boost: { title: 4, heading: 6 }, prefix: (word: string) => word.length > 2 }

/** What a word is called otherwise counts less than the word itself. */
const OTHERWISE = 0.3

const queryOf = (question: string, options: SearchOptions): Query => ({
  ...options,
  queries: wordsOfQuestion(question).map((word) => ({
    combineWith: "OR",
    queries: [
      word,
      ...synonymsOf(word).map((other) => ({ queries: [other], boostTerm: () => OTHERWISE, fuzzy: false }))
    ]
  }))
})

/** Records of decisions are for those who change Peyk, and a list of pages is not what it lists. */
const weightOf = ({ page, anchor }: Part): number =>
  page.includes("decisions/") ? 0.15 : /^where-do-i-go|^بعد-چه/.test(anchor) ? 0.5 : 1

/** @param isOwn whether a part is in the reader's language; others come after those */
export const makeSearch = (parts: ReadonlyArray<Part>, isOwn: (part: Part) => boolean) => {
  const index = new MiniSearch({
    fields: ["title", "heading", "text"],
    tokenize: (text) => [...wordsOf(text)],
    processTerm: (term) => term,
    searchOptions: { tokenize: (text) => [...wordsOfQuestion(text)], processTerm: (term) => term }
  })
  index.addAll(parts.map((part, id) => ({ id, ...part })))
  const boostDocument = (id: number) => {
    const part = parts[id]
    return part === undefined ? 0 : weightOf(part) * (isOwn(part) ? 1 : 0.6)
  }
  /** Parts with all words, then those with some; only where none has any, words that are nearly right. */
  const find = (question: string) => {
    const options = { ...OPTIONS, boostDocument }
    const search = (wanted: SearchOptions) => index.search(queryOf(question, { ...options, ...wanted }))
    const withAll = search({ combineWith: "AND" })
    const seen = new Set(withAll.map(({ id }) => id as number))
    const found = [...withAll, ...search({ combineWith: "OR" }).filter(({ id }) => !seen.has(id as number))]
    return found.length > 0
      ? found
      : search({ combineWith: "AND", fuzzy: (word: string) => (word.length > 4 ? 1 : false) })
  }
  return (question: string): ReadonlyArray<FoundPage> => {
    const pages = new Map<string, Array<FoundPart>>()
    for (const { id, terms } of find(question)) {
      const part = parts[id as number]
      if (part === undefined) continue
      const known = pages.get(part.page) ?? []
      pages.set(part.page, [...known, { ...part, words: new Set(terms) }])
    }
    return [...pages].map(([page, found]) => ({ page, title: found[0]?.title ?? page, parts: found }))
  }
}

interface Piece {
  readonly text: string
  readonly isFound: boolean
}

const WORD = /([\p{L}\p{N}][\p{L}\p{N}\p{M}_\u200c-]*)/u
const BEFORE = 7
const LENGTH = 26

/** The place of a text that has the most of the words, in pieces that were found and others. */
export const snippetOf = ({ text, words }: FoundPart): ReadonlyArray<Piece> => {
  // every second piece is a word
  const pieces = text.split(WORD).map((piece, index) => ({
    text: piece,
    isFound: index % 2 === 1 && wordsOf(piece).some((word) => words.has(word))
  }))
  const found = pieces.flatMap(({ isFound }, index) => (isFound ? [index] : []))
  const inWindow = (start: number) => {
    const seen = found.filter((index) => index >= start && index < start + 2 * (LENGTH - BEFORE))
    return new Set(seen.map((index) => pieces[index]?.text.toLowerCase())).size
  }
  const best = found.reduce((most, index) => (inWindow(index) > inWindow(most) ? index : most), found[0] ?? 0)
  const start = Math.max(0, best - 2 * BEFORE)
  const end = start + 2 * LENGTH
  return [
    ...(start > 0 ? [{ text: "… ", isFound: false }] : []),
    ...pieces.slice(start, end),
    ...(end < pieces.length ? [{ text: " …", isFound: false }] : [])
  ]
}
