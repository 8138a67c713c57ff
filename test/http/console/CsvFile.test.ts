import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { PageRequest } from "../../../src/domain/Paging.ts"
import { allRows, csvLine } from "../../../src/http/console/frame/CsvFile.ts"

const oneCell = (text: string): string => csvLine([text]).slice(0, -2)
/** The text of the cell, as a program reads it that separates cells by commas. */
const readBack = (cell: string): string =>
  cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell

describe("a cell of a CSV file", () => {
  it.each(["a;b", "a\tb", "a,b", 'a"b', "a\nb", "a\rb"])(
    "with a separator or a quote is quoted: %j",
    (text) => {
      assert.strictEqual(oneCell(text), `"${text.replaceAll('"', '""')}"`)
    }
  )

  it.each([
    "Bale",
    "می‌خواهم",
    "+989121234567",
    "-5",
    "+98 912 123 4567",
    "a - b",
    "1=1",
    '{"order":"1843","total":-5}',
    "a; b",
    "5; -3; +4"
  ])("that is no formula stays as it is: %j", (text) => {
    assert.strictEqual(readBack(oneCell(text)), text)
  })

  it.each([
    ["=1+1", "'=1+1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
    ["-2+3", "'-2+3"],
    ["\t=1", "\t'=1"],
    [" =1", " '=1"],
    ["\u200f=1", "\u200f'=1"],
    ["＝1", "'＝1"],
    ["Shop;=1+1", "Shop;'=1+1"],
    ["Shop; =HYPERLINK(A1)", "Shop; '=HYPERLINK(A1)"],
    ["Shop\t@SUM(A1)", "Shop\t'@SUM(A1)"],
    ["Shop\n-2+3", "Shop\n'-2+3"],
    ["Shop\r\n+cmd", "Shop\r\n'+cmd"],
    ['Shop;"=1+1', "Shop;\"'=1+1"],
    ["a;b;=1;c\t=2", "a;b;'=1;c\t'=2"],
    ["=1;=2", "'=1;'=2"]
  ])("cannot be or contain a formula, whatever separates cells: %j", (text, expected) => {
    assert.strictEqual(readBack(oneCell(text)), expected)
  })
})

describe("the rows of a file", () => {
  const numbers = (count: number, reads: Array<number>) => (page: PageRequest) =>
    Effect.sync(() => {
      const from = Number(page.after ?? 0)
      reads.push(from)
      const items = Array.from({ length: Math.min(page.limit, count - from) }, (_, index) => from + index)
      const next = from + page.limit
      return { items, next: next < count ? String(next) : null }
    })

  it.effect.each([0, 1, 499, 500, 501, 50_000, 50_001, 60_053])("are all there are: %i", (count) =>
    Effect.gen(function* () {
      const rows = yield* Stream.runCollect(yield* allRows(numbers(count, [])))
      assert.deepStrictEqual([...rows], [...Array(count).keys()])
    })
  )

  it.effect("are read only as they are wanted, the first part before the file begins", () =>
    Effect.gen(function* () {
      const reads: Array<number> = []
      const rows = yield* allRows(numbers(100_000, reads))
      assert.deepStrictEqual(reads, [0])
      yield* Stream.runDrain(Stream.take(rows, 1200))
      assert.isAtMost(reads.length, 4)
    })
  )

  it.effect("go on after parts in which nothing was found", () =>
    Effect.gen(function* () {
      const rows = yield* allRows(({ after }: PageRequest) => {
        const part = Number(after ?? 0)
        return Effect.succeed({
          items: part % 3 === 0 ? [part] : [],
          next: part < 9 ? String(part + 1) : null
        })
      })
      assert.deepStrictEqual([...(yield* Stream.runCollect(rows))], [0, 3, 6, 9])
    })
  )

  it.effect("end in an error, not as if complete, if a part cannot be read", () =>
    Effect.gen(function* () {
      const list = ({ after }: PageRequest) =>
        after === null ? Effect.succeed({ items: [1], next: "1" }) : Effect.die("the store is gone")
      const exit = yield* Effect.exit(Stream.runCollect(yield* allRows(list)))
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})
