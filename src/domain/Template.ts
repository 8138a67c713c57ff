import { Result, Schema } from "effect"
import { TemplateInvalid } from "./Errors.ts"

/** A text a customer wrote; placeholders have the form `{{name}}`. */
export const Template = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  body: Schema.String,
  disabled: Schema.Boolean
})
export type Template = typeof Template.Type

const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}/g

/** The distinct placeholder names of a text, in order of appearance. */
export const placeholders = (body: string): ReadonlyArray<string> => [
  ...new Set(Array.from(body.matchAll(PLACEHOLDER), (match) => match[1] ?? ""))
]

/** Braces that are no placeholder: the author's slip, which would reach the recipient. */
const isBroken = (body: string): boolean => /\{\{|\}\}/.test(body.replace(PLACEHOLDER, ""))

/** Fills each placeholder once; values are never scanned for placeholders themselves. */
export const render = (body: string, parameters: ReadonlyMap<string, string>): string =>
  body.replace(PLACEHOLDER, (whole, name: string) => parameters.get(name) ?? whole)

const CODE_PARAMETERS = ["code", "minutes"]

/** Passes a template that can carry a code: it names `{{code}}`, may name `{{minutes}}`, and nothing else. */
export const checkCodeTemplate = (template: Template): Result.Result<string, TemplateInvalid> => {
  const invalid = (reason: string) =>
    Result.fail(new TemplateInvalid({ details: { template_id: template.id, reason } }))
  if (template.disabled) return invalid("the template is switched off")
  if (isBroken(template.body)) return invalid("the text has braces that are no placeholder")
  const names = placeholders(template.body)
  if (!names.includes("code")) return invalid("the text does not contain {{code}}")
  const other = names.find((name) => !CODE_PARAMETERS.includes(name))
  return other === undefined ? Result.succeed(template.body) : invalid(`a code has no {{${other}}}`)
}

/** What messengers say when the customer chose no template. */
export const DEFAULT_CODE_TEXT =
  "کد تأیید شما: {{code}}\nاین کد تا {{minutes}} دقیقه معتبر است. آن را به کسی ندهید."

/** The text that carries a code. */
export const renderCodeText = (body: string, code: string, expiresInSeconds: number): string =>
  render(
    body,
    new Map([
      ["code", code],
      ["minutes", String(Math.floor(expiresInSeconds / 60))]
    ])
  )
