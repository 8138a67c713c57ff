import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { fillTemplate } from "../../../src/domain/message/Template.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const template = (body: string, disabled = false) => ({ id: 7, name: "greeting", body, active: !disabled })

/** The text, or the error with its details. */
const fill = (body: string, parameters: Readonly<Record<string, string>> | ReadonlyMap<string, string>) =>
  Result.match(
    fillTemplate(
      template(body),
      parameters instanceof Map ? parameters : new Map(Object.entries(parameters))
    ),
    {
      onFailure: ({ _tag, details }): unknown => [_tag, details],
      onSuccess: (text) => text
    }
  )

const mismatch = (
  expected: ReadonlyArray<string>,
  missing: ReadonlyArray<string>,
  extra: ReadonlyArray<string>
) => ["template_parameters_mismatch", { template_id: 7, expected, missing, extra }]

const NAMES = ["a", "b", "_c", "name", "Name", "__proto__", "constructor", "toString", "x1"]
const name = Schema.Literals(NAMES)
const TEXTS = ["سلام ", " عزیز،\n", "می‌خواهیم ۱۲۳ ", "🙂", "$&", "$1 ${a} %s \\", "{ a }", "\u202bمتن\u202c"]
const part = Schema.Union([Schema.Struct({ text: Schema.Literals(TEXTS) }), Schema.Struct({ name })])
const parts = Arbitrary.array(Arbitrary.schema(part), { maxLength: 8 })
const bodyOf = (parts: ReadonlyArray<typeof part.Type>): string =>
  parts.map((part) => ("text" in part ? part.text : `{{${part.name}}}`)).join("")
const namesOf = (parts: ReadonlyArray<typeof part.Type>): ReadonlyArray<string> => [
  ...new Set(parts.flatMap((part) => ("name" in part ? [part.name] : [])))
]

/** Values that a careless rendering would expand. */
const value = Schema.Union([
  Schema.Literals([
    "",
    "{{a}}",
    "{{b}} {{_c}}",
    "{{__proto__}}",
    "$&",
    "$1",
    "$`",
    "$$",
    "}}",
    "{{",
    "علی 🙂",
    "\u200c"
  ]),
  Schema.String
])
const given = Arbitrary.array(Arbitrary.all([Arbitrary.schema(name), Arbitrary.schema(value)]), {
  maxLength: 12
})
const runs = { arbitrary: { runs: propertyRuns(1_000), size: 12 } }

describe("a template with exactly its parameters", () => {
  it.prop(
    "becomes its text with each value in its places as it is, and the text around them as it was",
    [parts, Arbitrary.array(Arbitrary.schema(value), { minLength: NAMES.length, maxLength: NAMES.length })],
    ([parts, values]) => {
      const parameters = new Map(namesOf(parts).map((name, index) => [name, values[index] ?? ""]))
      const expected = parts.map((part) => ("text" in part ? part.text : parameters.get(part.name))).join("")
      assert.strictEqual(fill(bodyOf(parts), parameters), expected)
    },
    runs
  )

  it.prop(
    "does not depend on the order in which they are given",
    [parts, Arbitrary.schema(value)],
    ([parts, value]) => {
      const entries = namesOf(parts).map((name, index): [string, string] => [name, `${value}${index}`])
      assert.strictEqual(
        fill(bodyOf(parts), new Map(entries)),
        fill(bodyOf(parts), new Map(entries.toReversed()))
      )
    },
    runs
  )

  it("may have none", () => {
    assert.strictEqual(fill("سلام! { 100٪ }", {}), "سلام! { 100٪ }")
  })

  it("never reads a value as a text with placeholders", () => {
    assert.strictEqual(fill("{{a}}{{b}}{{a}}", { a: "{{b}}", b: "{{a}} $& $1" }), "{{b}}{{a}} $& $1{{b}}")
  })

  it("may have a parameter named like what every object has", () => {
    const parameters = new Map([
      ["__proto__", "۱"],
      ["constructor", "۲"],
      ["toString", "۳"]
    ])
    assert.strictEqual(fill("{{__proto__}} {{constructor}} {{toString}}", parameters), "۱ ۲ ۳")
  })

  it("may have an empty value", () => {
    assert.strictEqual(fill("[{{a}}]", { a: "" }), "[]")
  })
})

describe("a template with other parameters than its own", () => {
  it.prop(
    "is refused with what it expects and lacks in order of appearance, and what is too much as it was given",
    [parts, given],
    ([parts, given]) => {
      const parameters = new Map(given)
      const expected = namesOf(parts)
      const missing = expected.filter((name) => !given.some(([known]) => known === name))
      const extra = [...new Set(given.map(([name]) => name))].filter((name) => !expected.includes(name))
      const result = fill(bodyOf(parts), parameters)
      if (missing.length === 0 && extra.length === 0) assert.isString(result)
      else assert.deepStrictEqual(result, mismatch(expected, missing, extra))
    },
    runs
  )

  it("is refused when one is missing", () => {
    assert.deepStrictEqual(fill("{{b}} {{a}} {{b}}", { a: "1" }), mismatch(["b", "a"], ["b"], []))
  })

  it("is refused when one is too much", () => {
    assert.deepStrictEqual(fill("{{a}}", { z: "0", a: "1", y: "2" }), mismatch(["a"], [], ["z", "y"]))
  })

  it("is refused when all are missing, inherited ones too", () => {
    const body = "{{toString}} {{__proto__}}"
    assert.deepStrictEqual(fill(body, {}), mismatch(["toString", "__proto__"], ["toString", "__proto__"], []))
  })

  it("is refused when it has none and one is given", () => {
    assert.deepStrictEqual(fill("سلام", { a: "1" }), mismatch([], [], ["a"]))
  })

  it("is refused when a name differs in case", () => {
    assert.deepStrictEqual(fill("{{name}}", { Name: "علی" }), mismatch(["name"], ["name"], ["Name"]))
  })

  it("is refused when a value is named with its braces", () => {
    assert.deepStrictEqual(fill("{{a}}", { "{{a}}": "1" }), mismatch(["a"], ["a"], ["{{a}}"]))
  })
})

describe("a template that cannot be used", () => {
  const reason = (body: string, disabled: boolean) =>
    Result.match(fillTemplate(template(body, disabled), new Map([["a", "1"]])), {
      onFailure: ({ _tag, details }): unknown => [_tag, details],
      onSuccess: (text) => text
    })

  it("is template_invalid when it is switched off, even with exactly its parameters", () => {
    assert.deepStrictEqual(reason("{{a}}", true), [
      "template_invalid",
      { template_id: 7, reason: "the template is switched off" }
    ])
  })

  it.each(["{{a}} {{", "{{a}} }}", "{{a}} {{ b }}", "{{a}} {{1b}}", "{{a}} {{نام}}", "{{a}} {{}}"])(
    "is template_invalid when its text is broken: %s",
    (body) => {
      assert.deepStrictEqual(reason(body, false), [
        "template_invalid",
        { template_id: 7, reason: "the text has braces that are no placeholder" }
      ])
    }
  )

  it("is template_invalid rather than a mismatch when both are so", () => {
    const result = fillTemplate(template("{{a}} {{b}} {{"), new Map())
    assert.strictEqual(Result.isFailure(result) ? result.failure._tag : null, "template_invalid")
  })
})
