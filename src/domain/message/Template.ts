import { Result, Schema } from "effect"
import { TemplateInvalid, TemplateParametersMismatch } from "../Errors.ts"
import { problem, type Problem } from "../Problem.ts"
import { refusing } from "../SchemaProblems.ts"

/** A text a customer wrote; placeholders have the form `{{name}}`. */
export const Template = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  body: Schema.String,
  active: Schema.Boolean
})
export type Template = typeof Template.Type

/** A template's text. A longer one could not be sent. */
export const TemplateBody = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4000))

/** A template by its id, which can be a text. */
export const TemplateId = Schema.Union([
  Schema.Int.check(Schema.isGreaterThan(0)),
  Schema.String.check(Schema.isPattern(/^[1-9]\d{0,14}$/, refusing(problem("not_positive_integer"))))
])

export const templateIdOf = (id: typeof TemplateId.Type | null | undefined): number | undefined =>
  id == null ? undefined : Number(id)

const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}/g

/** The distinct placeholder names of a text, in order of appearance. */
export const placeholders = (body: string): ReadonlyArray<string> => [
  ...new Set(Array.from(body.matchAll(PLACEHOLDER), (match) => match[1] ?? ""))
]

/** Why a text cannot be used: braces that are not a placeholder, which the recipient would see. Null: no problem. */
export const templateProblem = (body: string): Problem | null =>
  /\{\{|\}\}/.test(body.replace(PLACEHOLDER, " ")) ? problem("template_braces") : null

/** Fills each placeholder once, and never looks for placeholders in values. */
export const render = (body: string, parameters: ReadonlyMap<string, string>): string =>
  body.replace(PLACEHOLDER, (whole, name: string) => parameters.get(name) ?? whole)

const checkUsable = ({ id, body, active }: Template): Result.Result<void, TemplateInvalid> => {
  const found = active ? templateProblem(body) : problem("template_off")
  return found === null ? Result.void : Result.fail(new TemplateInvalid({ templateId: id, problem: found }))
}

/** A template's text with these parameters, which must match its placeholders exactly. */
export const fillTemplate = (
  template: Template,
  parameters: ReadonlyMap<string, string>
): Result.Result<string, TemplateInvalid | TemplateParametersMismatch> =>
  Result.gen(function* () {
    yield* checkUsable(template)
    const expected = placeholders(template.body)
    const missing = expected.filter((name) => !parameters.has(name))
    const extra = [...parameters.keys()].filter((name) => !expected.includes(name))
    if (missing.length === 0 && extra.length === 0) return render(template.body, parameters)
    const details = { template_id: template.id, expected, missing, extra }
    return yield* Result.fail(new TemplateParametersMismatch({ details }))
  })

const CODE_PARAMETERS = ["code", "minutes"]

/** Accepts a template for codes: it contains `{{code}}`, can contain `{{minutes}}`, and nothing else. */
export const checkCodeTemplate = (template: Template): Result.Result<string, TemplateInvalid> =>
  Result.gen(function* () {
    yield* checkUsable(template)
    const names = placeholders(template.body)
    const other = names.find((name) => !CODE_PARAMETERS.includes(name))
    if (names.includes("code") && other === undefined) return template.body
    return yield* Result.fail(
      new TemplateInvalid({
        templateId: template.id,
        problem:
          other === undefined
            ? problem("template_without_code")
            : problem("template_placeholder", { name: other })
      })
    )
  })
