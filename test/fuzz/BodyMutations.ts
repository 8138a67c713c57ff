/** Faults in the value of a body, or in its bytes. */
import type { Random } from "../../bench/soak/Random.ts"
import { Entries, Verbatim } from "./JsonText.ts"

export interface Mutation<A> {
  readonly name: string
  readonly apply: (value: A, random: Random) => A
}

const nested = (depth: number, open: string, close: string) =>
  new Verbatim(open.repeat(depth) + "1" + close.repeat(depth))

/** Values that something may not expect. */
const ODD: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -1,
  1,
  0.1,
  1e21,
  Number.MAX_SAFE_INTEGER,
  2 ** 31,
  2 ** 31 - 1,
  2 ** 63,
  ...[
    "-0",
    "1e400",
    "-1e400",
    "9223372036854775807",
    "9223372036854775808",
    "0.30000000000000004",
    "1E+2"
  ].map((text) => new Verbatim(text)),
  "",
  " ",
  "0",
  "null",
  "\u0000",
  "a\u0000b",
  "\u202Eabc",
  "\u200B",
  "\uFEFF",
  "😀".repeat(50),
  "e\u0301".repeat(100),
  "۰۹۱۲۳۴۵۶۷۸۹",
  "09121234567",
  "+98912123456789",
  "'; drop table customers; --",
  "%00%s%n${x}{{code}}{{",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "a".repeat(300),
  "a".repeat(20_000),
  new Verbatim('"\\ud800"'),
  new Verbatim('"\\udc00\\ud800"'),
  "2026-13-45T99:99:99Z",
  "9999-12-31T23:59:59.999Z",
  "-271821-04-20T00:00:00.000Z",
  "0000-01-01T00:00:00Z",
  "http://[::1]:99999/",
  "http://user:pass@127.0.0.1:9/?#",
  "ftp://example.com",
  "01890a5d-ac96-774b-bcce-b302099a8057",
  "constructor",
  "__proto__",
  [],
  {},
  [[]],
  [null],
  { a: { b: { c: [] } } },
  Array.from({ length: 1000 }, (_, index) => index),
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index])),
  nested(100, "[", "]"),
  nested(5000, "[", "]"),
  nested(3000, '{"a":', "}"),
  new Verbatim('{"__proto__":{"admin":true}}'),
  new Verbatim('{"constructor":{"prototype":{}}}')
]

const isNode = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof Verbatim) && !(value instanceof Entries)

/** Replaces one value somewhere inside. */
const somewhere = (value: unknown, random: Random, change: (value: unknown) => unknown): unknown => {
  if (!isNode(value) || random.chance(0.3)) return change(value)
  const keys = Object.keys(value)
  if (keys.length === 0) return change(value)
  const key = random.pick(keys)
  const changed = somewhere(Reflect.get(value, key), random, change)
  if (Array.isArray(value))
    return value.map((each: unknown, index) => (String(index) === key ? changed : each))
  return { ...value, [key]: changed }
}

const entriesOf = (value: unknown): Array<[string, unknown]> =>
  isNode(value) && !Array.isArray(value) ? Object.entries(value) : []

const UNKNOWN_KEYS = [
  "extra",
  "__proto__",
  "constructor",
  "",
  "a".repeat(300),
  "\u0000",
  "customer_id",
  "id",
  "toString"
]

export const valueMutations: ReadonlyArray<Mutation<unknown>> = [
  { name: "odd value", apply: (value, random) => somewhere(value, random, () => random.pick(ODD)) },
  { name: "odd value at the top", apply: (_value, random) => random.pick(ODD) },
  {
    name: "missing field",
    apply: (value, random) => {
      const entries = entriesOf(value)
      if (entries.length === 0) return value
      entries.splice(random.between(0, entries.length - 1), 1)
      return new Entries(entries)
    }
  },
  {
    name: "unknown field",
    apply: (value, random) =>
      new Entries([...entriesOf(value), [random.pick(UNKNOWN_KEYS), random.pick(ODD)]])
  },
  {
    name: "repeated field",
    apply: (value, random) => {
      const entries = entriesOf(value)
      if (entries.length === 0) return value
      const [key] = random.pick(entries)
      return new Entries(random.shuffled([...entries, [key, random.pick(ODD)] as const]))
    }
  },
  { name: "wrapped in a list", apply: (value, random) => somewhere(value, random, (each) => [each]) },
  { name: "as text", apply: (value, random) => somewhere(value, random, (each) => String(each)) },
  { name: "twice", apply: (value, random) => somewhere(value, random, (each) => [each, each]) }
]

const replaceAt = (bytes: Buffer, at: number, by: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + 1)])

const INVALID_UTF8 = Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80])

export const byteMutations: ReadonlyArray<Mutation<Buffer>> = [
  { name: "cut JSON", apply: (bytes, random) => bytes.subarray(0, random.between(0, bytes.length)) },
  { name: "garbage after JSON", apply: (bytes) => Buffer.concat([bytes, Buffer.from("}]garbage")]) },
  { name: "trailing comma", apply: (bytes) => Buffer.from(bytes.toString("utf8").replace(/[}\]]$/, ",$&")) },
  { name: "single quotes", apply: (bytes) => Buffer.from(bytes.toString("utf8").replaceAll('"', "'")) },
  { name: "byte order mark", apply: (bytes) => Buffer.concat([Buffer.from("\uFEFF"), bytes]) },
  { name: "UTF-16", apply: (bytes) => Buffer.from(bytes.toString("utf8"), "utf16le") },
  {
    name: "invalid UTF-8",
    apply: (bytes, random) => replaceAt(bytes, random.between(0, Math.max(0, bytes.length - 1)), INVALID_UTF8)
  },
  {
    name: "a flipped byte",
    apply: (bytes, random) =>
      replaceAt(
        bytes,
        random.between(0, Math.max(0, bytes.length - 1)),
        Buffer.from([random.between(0, 255)])
      )
  },
  { name: "nothing", apply: () => Buffer.alloc(0) },
  {
    name: "just below the largest",
    apply: (bytes) => Buffer.concat([bytes, Buffer.alloc(65_536 - Math.min(bytes.length, 65_536), " ")])
  },
  { name: "too large", apply: (bytes) => Buffer.concat([bytes, Buffer.alloc(65_537, " ")]) },
  { name: "far too large", apply: (bytes) => Buffer.concat([bytes, Buffer.alloc(2_000_000, "a")]) },
  { name: "brackets without end", apply: () => Buffer.alloc(60_000, "[") },
  { name: "zeros", apply: () => Buffer.alloc(1000) }
]
