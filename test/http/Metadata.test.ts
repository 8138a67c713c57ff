import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { canonicalJson } from "../../src/domain/text/Fingerprints.ts"
import {
  isShort,
  isWithinBounds,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  metadataFields,
  readMetadata
} from "../../src/http/Metadata.ts"
import { propertyRuns } from "../support/PropertyRuns.ts"

/** A value of JSON as it is written: numbers are texts, and fields have an order. */
type Written =
  | { readonly atom: string }
  | { readonly string: string }
  | { readonly elements: ReadonlyArray<Written> }
  | { readonly fields: ReadonlyArray<readonly [string, Written]> }

const ATOMS = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "1.0",
  "-1",
  "1e5",
  "1E+5",
  "1e-7",
  "1e400",
  "0.1",
  "0.10",
  "9007199254740993",
  "12345678901234567890123456789",
  "3.141592653589793238462643383279"
]
const KEYS = [
  "h",
  '"',
  "\\",
  "\\u0041",
  "\u0000",
  "\n",
  "__proto__",
  "constructor",
  "toJSON",
  "toString",
  "hasOwnProperty",
  "isLosslessNumber",
  "value",
  "metadata",
  "نام",
  "🙂",
  "\ud83d",
  ""
]
/** Keys that look like an index would change their place. */
const key = Schema.Union([
  Schema.Literals(KEYS),
  Schema.String.check(Schema.makeFilter((name: string) => !/^[0-9]+$/.test(name)))
])
const written: Schema.Codec<Written> = Schema.Union([
  Schema.Struct({ atom: Schema.Literals(ATOMS) }),
  Schema.Struct({ string: Schema.Union([Schema.Literals(KEYS), Schema.String]) }),
  Schema.Struct({ elements: Schema.Array(Schema.suspend(() => written)) }),
  Schema.Struct({ fields: Schema.Array(Schema.Tuple([key, Schema.suspend(() => written)])) })
])
const fields = Schema.Array(Schema.Tuple([key, written]))

type Fields = typeof fields.Type

/** Without fields that a later one of the same name replaces; it takes the place of the first. */
const lastOfEach = (fields: Fields): Fields => [...new Map(fields)]

const objectText = (fields: Fields, print: (value: Written) => string): string =>
  `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${print(value)}`).join(",")}}`

const print = (value: Written, ofFields: (fields: Fields) => Fields): string => {
  if ("atom" in value) return value.atom
  if ("string" in value) return JSON.stringify(value.string)
  if ("elements" in value) return `[${value.elements.map((each) => print(each, ofFields)).join(",")}]`
  return objectText(ofFields(value.fields), (each) => print(each, ofFields))
}

const asSent = (fields: Fields): string => objectText(fields, (each) => print(each, (fields) => fields))
const asKept = (fields: Fields): string => objectText(lastOfEach(fields), (each) => print(each, lastOfEach))

/** The result of JSON.parse, right or wrong. */
const decoded = (body: string): object => Object(Object(JSON.parse(body)).metadata)

const read = (body: string, given: object) => {
  const metadata = Result.getOrThrow(readMetadata(body, given))
  if (metadata === undefined) throw new Error("no metadata was read")
  return metadata
}
const textOf = (body: string): string => read(body, decoded(body)).text

const textOfMetadata = (metadata: string): string => textOf(`{"metadata":${metadata}}`)

const runs = { arbitrary: { runs: propertyRuns(1_000), size: 12 } }

describe("the metadata of a body", () => {
  it.prop(
    "is kept as it was written, at any depth, whatever its keys and numbers are",
    [fields],
    ([fields]) => {
      const body = `{"to":"x","metadata":${asSent(fields)},"message":"y"}`
      assert.strictEqual(textOf(body), asKept(fields))
    },
    runs
  )

  it.prop(
    "does not depend on the white space around it",
    [fields],
    ([fields]) => {
      const body = `{"metadata":${asSent(fields)}}`
      const wide = `\t{ "metadata"\r\n :  ${asSent(fields)} \n}\n`
      assert.deepStrictEqual(read(wide, {}), read(body, {}))
    },
    runs
  )

  it("keeps, of a key that comes twice, the last value", () => {
    assert.strictEqual(textOfMetadata('{"a":{"x":1},"b":2,"a":{"y":3}}'), '{"a":{"y":3},"b":2}')
  })

  it("is, of two of them, the last", () => {
    assert.strictEqual(textOf('{"metadata":{"a":1},"metadata":{"b":1.0}}'), '{"b":1.0}')
  })

  it("may be empty", () => {
    assert.strictEqual(textOfMetadata("{ }"), "{}")
  })

  it.each([
    "12345678901234567890123456789",
    "9007199254740993",
    "-9007199254740993",
    "1.0",
    "-0",
    "-0.0",
    "0.10",
    "1e5",
    "1E+05",
    "1e400",
    "-1e-400",
    "0.1000000000000000055511151231257827",
    "1e21"
  ])("keeps %s as that number", (number) => {
    const metadata = `{"n":${number},"list":[${number}]}`
    assert.strictEqual(textOfMetadata(metadata), metadata)
  })

  it("keeps a key named __proto__ as any other", () => {
    const metadata = '{"__proto__":{"isAdmin":true},"a":{"__proto__":null}}'
    const { text, value } = read(`{"metadata":${metadata}}`, {})
    assert.strictEqual(text, metadata)
    assert.notProperty(Object(value), "isAdmin")
    assert.notProperty({}, "isAdmin")
  })

  it("keeps text that says it is a number, or has a form of its own, as it is", () => {
    const metadata = '{"isLosslessNumber":true,"value":"1","toString":"x","toJSON":{"toJSON":1}}'
    assert.strictEqual(textOfMetadata(metadata), metadata)
  })

  it.each(['{"h":1,"\\"":2}', '{"h":1,"\\\\":2}', '{"h":[],"\\n":{"h":0,"\\t":1}}'])(
    "keeps keys with escapes, also where JSON.parse takes them for others (nodejs/node#63785): %s",
    (metadata) => {
      JSON.parse('{"h":[],"\\\\":0}')
      assert.strictEqual(textOfMetadata(metadata), metadata)
    }
  )

  it("is the inexact one when the body is too deep elsewhere for an exact reading", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    const body = `{"x":${deep},"metadata":{"a":1.0,"b":[{"c":"د"}]}}`
    assert.strictEqual(textOf(body), '{"a":1,"b":[{"c":"د"}]}')
  })

  it("is read exactly next to what is as deep as a body may well be", () => {
    const deep = "[".repeat(200) + "]".repeat(200)
    assert.strictEqual(textOf(`{"x":${deep},"metadata":{"a":1.0}}`), '{"a":1.0}')
  })
})

describe("the value by which metadata is compared", () => {
  const compared = (metadata: string): string => canonicalJson(read(`{"metadata":${metadata}}`, {}).value)

  it("is the same for the same fields in another order", () => {
    assert.strictEqual(compared('{"a":1.0,"b":[2]}'), compared('{ "b": [2], "a": 1.0 }'))
  })

  it("distinguishes long numbers that JavaScript's do not", () => {
    assert.notStrictEqual(compared('{"a":9007199254740993}'), compared('{"a":9007199254740992}'))
  })

  it.each([
    ["2.0", "2"],
    ["20e-1", "2"],
    ["1e2", "100"],
    ["-0", "0"],
    ["12345678901234567890.0", "12345678901234567890"]
  ])("is the same for %s and %s, at any depth", (one, other) => {
    assert.strictEqual(compared(`{"a":[{"b":${one}}]}`), compared(`{"a":[{"b":${other}}]}`))
  })

  it.each([
    ["2", "2"],
    ["1e+21", "1e+21"],
    ["12345678901234567890", '{"isLosslessNumber":true,"value":"12345678901234567890"}'],
    ["0.1000000000000000000001", '{"isLosslessNumber":true,"value":"0.1000000000000000000001"}']
  ])("has %s as the fingerprints that are stored have it", (number, text) => {
    assert.strictEqual(compared(`{"a":${number}}`), `{"a":${text}}`)
  })

  it("distinguishes values under keys named __proto__", () => {
    assert.notStrictEqual(compared('{"__proto__":{"a":1}}'), compared('{"__proto__":{"a":2}}'))
  })
})

/** An object of that many bytes of JSON, in letters of two bytes but for one at most. */
const sized = (bytes: number): object => {
  const rest = bytes - '{"a":""}'.length
  return { a: "س".repeat(Math.floor(rest / 2)) + "x".repeat(rest % 2) }
}

/** Objects and lists within each other, so many in all. */
const nested = (levels: number): object => {
  let value: object = {}
  for (let level = 1; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return { a: [], b: value, c: {} }
}

describe("the bounds of metadata", () => {
  it.each([{}, { a: 1 }, { a: [], b: {}, c: null }, { 0: { "": "" } }])("let %j through", (metadata) => {
    assert.isTrue(isWithinBounds(metadata))
  })

  it("are 16384 bytes of JSON in UTF-8", () => {
    assert.strictEqual(MAX_METADATA_BYTES, 16_384)
    assert.isTrue(isWithinBounds(sized(16_384)))
    assert.isFalse(isWithinBounds(sized(16_385)))
  })

  it("count the bytes of keys and of escapes", () => {
    assert.isFalse(isWithinBounds({ ["ک".repeat(8_192)]: 1 }))
    assert.isFalse(isWithinBounds({ a: "\u0001".repeat(2_731) }))
    assert.isTrue(isWithinBounds({ a: "\u0001".repeat(2_729) }))
  })

  it("are 32 levels of objects and lists, the metadata itself being the first", () => {
    assert.strictEqual(MAX_METADATA_DEPTH, 32)
    assert.isTrue(isWithinBounds(nested(31)))
    assert.isFalse(isWithinBounds(nested(32)))
  })

  it("do not let through what is very deep, and do not exhaust the stack over it", () => {
    assert.isFalse(isWithinBounds(nested(1_000_000)))
  })

  it("do not let through what is very wide", () => {
    const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, [{}]]))
    assert.isFalse(isWithinBounds(wide))
    assert.isFalse(isWithinBounds({ a: Array.from({ length: 200_000 }, () => ({})) }))
  })

  it("hold for the text that is kept, which long numbers make longer than what JSON.parse makes of it", () => {
    const body = `{"metadata":{"a":1.${"0".repeat(MAX_METADATA_BYTES)}}}`
    const metadata = decoded(body)
    assert.isTrue(isWithinBounds(metadata))
    assert.isTrue(Result.isFailure(readMetadata(body, metadata)))
  })

  it("are the same number of bytes for a text", () => {
    assert.isTrue(isShort("س".repeat(8_192)))
    assert.isFalse(isShort(`${"س".repeat(8_192)}x`))
  })
})

describe("metadata for people", () => {
  it("has every digit of a long number, alone and inside of other values", () => {
    const text =
      '{"order":12345678901234567890,"share":0.10,"lines":[{"id":98765432109876543210}],"note":"a"}'
    assert.deepStrictEqual(metadataFields(text), [
      ["order", "12345678901234567890"],
      ["share", "0.10"],
      ["lines", '[{"id":98765432109876543210}]'],
      ["note", "a"]
    ])
  })
})
