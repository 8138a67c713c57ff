import { type Schema, SchemaAST } from "effect"
import { pasted, pastedText, plainNumber } from "../../domain/text/PastedText.ts"
import { SECRET_SETTINGS } from "./ProviderAdapter.ts"

/** One setting of a provider, as a form asks for it. */
export interface SettingField {
  readonly name: string
  readonly isRequired: boolean
  /** An explanation for people; null: the name says enough. */
  readonly hint: string | null
  readonly kind: "text" | "secret" | "number" | "boolean" | "choice"
  /** The values of a `choice`; empty for the other kinds. */
  readonly choices: ReadonlyArray<string>
}

const choicesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isUnion(ast) && ast.encoding === undefined
    ? ast.types.flatMap((type) => (SchemaAST.isLiteral(type) ? [String(type.literal)] : []))
    : []

const kindOf = (name: string, ast: SchemaAST.AST): SettingField["kind"] => {
  if (SECRET_SETTINGS.includes(name)) return "secret"
  if (SchemaAST.isBoolean(ast)) return "boolean"
  if (choicesOf(ast).length > 0) return "choice"
  // A number that is decoded from digits is typed as text.
  return SchemaAST.isNumber(ast) && ast.encoding === undefined ? "number" : "text"
}

/** The fields of a provider's settings; none if the settings are not a struct. */
export const settingFields = ({ ast }: Schema.Top): ReadonlyArray<SettingField> =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.map(({ name, type }) => {
        const hint = type.context?.annotations?.["description"]
        return {
          name: String(name),
          isRequired: !SchemaAST.isOptional(type),
          hint: typeof hint === "string" ? hint : null,
          kind: kindOf(String(name), type),
          choices: choicesOf(type)
        }
      })
    : []

/** Line numbers and other numbers may come in Persian digits; no character of a secret is replaced. */
const valueOf = ({ kind }: SettingField, typed: string): unknown => {
  if (kind === "boolean") return typed === "true"
  const text = kind === "secret" ? pasted(typed) : plainNumber(typed)
  // A text that is not a number stays as it is, so that the provider's schema reports what it expected.
  return kind === "number" && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The settings that were typed into a form; what was left empty is absent. */
export const typedSettings = (
  fields: ReadonlyArray<SettingField>,
  typed: (name: string) => string | null
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = pastedText(typed(field.name) ?? "")
      return text === "" ? [] : [[field.name, valueOf(field, text)] as const]
    })
  )
