import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { canonicalJson } from "../../../src/domain/text/Fingerprints.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

const fieldsOf = (value: Json): ReadonlyArray<[string, Json]> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined

/** Rewrites the fields of every object in a value; -0, which JSON does not have, becomes 0. */
const mapFields = (
  value: Json,
  change: (fields: ReadonlyArray<[string, Json]>) => ReadonlyArray<[string, Json | undefined]>
): Json => {
  if (Object.is(value, -0)) return 0
  if (Array.isArray(value)) return value.map((element: Json) => mapFields(element, change))
  const fields = fieldsOf(value)
  if (fields === undefined) return value
  const deep = fields.map(([key, field]): [string, Json] => [key, mapFields(field, change)])
  return Object.fromEntries(change(deep)) as Json
}

/** Without what JSON.parse would not give back: V8 misreads keys with escapes (nodejs/node#63785). */
const json = Arbitrary.schema(Schema.Json).pipe(
  Arbitrary.map((value) =>
    mapFields(value as Json, (fields) =>
      fields.map(([key, field]): [string, Json] => [key.replaceAll(/["\\\p{C}]/gu, ""), field])
    )
  )
)

const sameText = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b)

describe("canonicalJson", () => {
  it("writes sorted keys, no white space and no absent fields", () => {
    const value = { b: [1, null, { d: undefined, c: "x" }], a: null, "": true }
    assert.strictEqual(canonicalJson(value), `{"":true,"a":null,"b":[1,null,{"c":"x"}]}`)
  })

  it("writes a value however deep it is", () => {
    const depth = 100_000
    const deep = JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown
    assert.lengthOf(canonicalJson(deep), 2 * depth)
  })

  it.prop(
    "does not depend on the order of keys, at any depth",
    [json],
    ([value]) =>
      sameText(
        value,
        mapFields(value, (fields) => fields.toReversed())
      ),
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it.prop(
    "does not depend on absent fields, at any depth",
    [json, Schema.String],
    ([value, name]) => {
      const padded = mapFields(value, (fields) => {
        const isNew = fields.every(([key]) => key !== name)
        return isNew ? [...fields, [name, undefined]] : fields
      })
      assert.isTrue(sameText(value, padded))
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it.prop(
    "keeps all there is in a value, so that different values have different texts",
    [json],
    ([value]) => {
      assert.deepStrictEqual(
        JSON.parse(canonicalJson(value)),
        mapFields(value, (fields) => fields)
      )
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it.each([
    [{ a: 1 }, { a: "1" }],
    [{ a: 1 }, { b: 1 }],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
    [
      [1, 2],
      [2, 1]
    ],
    [[null], []],
    [[], {}],
    [{ 'a":1,"b': 2 }, { a: 1, b: 2 }],
    [{ a: false }, {}],
    [{ a: null }, {}],
    [{ a: "" }, {}],
    [{ a: 0 }, {}],
    [[["a"], "b"], [["a", "b"]]],
    ["null", null],
    [`a","b`, ["a", "b"]]
  ])("tells %j from %j", (a, b) => {
    assert.isFalse(sameText(a, b))
  })
})
