import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import {
  checkCodeTemplate,
  placeholders,
  render,
  templateProblem
} from "../../../src/domain/message/Template.ts"
import { DEFAULT_CODE_TEXT } from "../../../src/domain/verification/CodeText.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const check = (body: string, disabled = false) =>
  checkCodeTemplate({ id: 7, name: "login", body, active: !disabled }).pipe(
    Result.mapError(({ _tag, details }) => ({ _tag, id: details.template_id }))
  )

const PERSIAN = ["کد ورود شما: ", "دقیقه‌ی دیگر", "سلام،\nخوش آمدید 🙂", "۱۲۳۴۵۶", "٪ $1 $& \\"]
const NAMES = ["code", "minutes", "name", "_x1"]

/** Values that a careless rendering would expand. */
const NASTY = [
  "{{code}}",
  "{{minutes}}",
  "{{name}}",
  "$&",
  "$1",
  "$`",
  "$'",
  "$$",
  "{{{{code}}}}",
  "}}",
  "{{"
]

const piece = Schema.Union([
  Schema.Struct({ text: Schema.Literals(PERSIAN) }),
  Schema.Struct({ name: Schema.Literals(NAMES) })
])
const value = Schema.Union([Schema.Literals([...NASTY, ...PERSIAN]), Schema.String])
const pieces = Arbitrary.array(Arbitrary.schema(piece), { maxLength: 8 })
const values = Schema.Struct({ code: value, minutes: value, name: value, _x1: value })

const bodyOf = (parts: ReadonlyArray<typeof piece.Type>): string =>
  parts.map((part) => ("text" in part ? part.text : `{{${part.name}}}`)).join("")

describe("render", () => {
  it.prop(
    "puts each value in as it is, whatever it holds, and leaves the text around it as it was",
    [pieces, values],
    ([parts, given]) => {
      const parameters = new Map(Object.entries(given))
      const expected = parts.map((part) => ("text" in part ? part.text : parameters.get(part.name))).join("")
      assert.strictEqual(render(bodyOf(parts), parameters), expected)
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it("puts a value that looks like a placeholder in as it is", () => {
    const parameters = new Map([
      ["code", "{{minutes}} $&"],
      ["minutes", "{{code}}"]
    ])
    assert.strictEqual(
      render("{{code}}|{{minutes}}|{{code}}", parameters),
      "{{minutes}} $&|{{code}}|{{minutes}} $&"
    )
  })

  it("leaves a placeholder without a value as it is", () => {
    assert.strictEqual(render("{{code}} {{toString}}", new Map([["code", "1"]])), "1 {{toString}}")
  })
})

describe("placeholders", () => {
  it("are named once each, in order of appearance", () => {
    assert.deepStrictEqual(placeholders("{{b}} {{a1}} {{b}} {{_c}} {{1d}} {{é}} {{ e }} {f}"), [
      "b",
      "a1",
      "_c"
    ])
  })
})

describe("a template for codes", () => {
  it.each([
    "{{code}}",
    "کد شما {{code}} است",
    "{{code}} {{minutes}} {{code}}",
    "{{minutes}}: {{code}} { }",
    DEFAULT_CODE_TEXT
  ])("may be %j", (body) => {
    assert.deepStrictEqual(check(body), Result.succeed(body))
  })

  it.each([
    ["has no code", "سلام"],
    ["has no text", ""],
    ["has minutes alone", "{{minutes}}"],
    ["says code outside a placeholder only", "code: {code}, {{minutes}}"],
    ["has another placeholder", "{{code}} {{name}}"],
    ["names the code in capitals", "{{CODE}}"],
    ["has spaces in a placeholder", "{{code}} {{ minutes }}"],
    ["leaves a placeholder open", "{{code}} {{minutes"],
    ["has braces that close nothing", "{{code}} }}"],
    ["has a placeholder whose name starts with a digit", "{{code}} {{1st}}"],
    ["has an empty placeholder", "{{code}} {{}}"],
    ["names the code within a word only", "{{codes}}"]
  ])("is template_invalid when it %s", (_, body) => {
    assert.deepStrictEqual(check(body), Result.fail({ _tag: "template_invalid", id: 7 }))
  })

  it("is template_invalid when it is switched off", () => {
    assert.deepStrictEqual(check("{{code}}", true), Result.fail({ _tag: "template_invalid", id: 7 }))
  })
})

describe("a template's text", () => {
  it.prop(
    "has no problem when it is made of placeholders and of text without braces",
    [pieces],
    ([parts]) => {
      assert.isNull(templateProblem(bodyOf(parts)))
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "has a problem wherever it has braces that are no placeholder",
    [
      pieces,
      Arbitrary.schema(
        Schema.Literals(["{{", "}}", "{{}}", "{{ name }}", "{{1}}", "{{کد}}", "{{a-b}}", "{{a"])
      ),
      pieces
    ],
    ([before, braces, after]) => {
      assert.isNotNull(templateProblem(`${bodyOf(before)} ${braces} ${bodyOf(after)}`))
    },
    { arbitrary: { runs: 300 } }
  )

  it.each(["", "{", "}", "{ }", "{name}", "} {", "{a}{b}", '{"a":{"b":{{name}}} }', "{{{name}}}"])(
    "may have single braces: %j",
    (body) => {
      assert.isNull(templateProblem(body))
    }
  )
})
