import { html, type Html } from "../../console/frame/Html.ts"
import { type ApiDocument, type JsonSchema, nameOf, resolve } from "./ApiDocument.ts"

const MAX_LISTED = 12

const bounds = ({ minimum, maximum, maxLength }: JsonSchema): string => {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}–${maximum}`
  if (minimum !== undefined) return ` ≥ ${minimum}`
  return maxLength === undefined ? "" : ` ≤ ${maxLength} characters`
}

/** The type in a few words, with links to the named ones. */
export const typeOf = (schema: JsonSchema): Html | string => {
  if (schema.$ref !== undefined) return html`<a href="#${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`
  if (schema.anyOf !== undefined)
    return html`${schema.anyOf.map((each, index) => html`${index > 0 && " or "}${typeOf(each)}`)}`
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}`
  if (schema.enum !== undefined && schema.enum.length <= MAX_LISTED)
    return schema.enum.map((value) => JSON.stringify(value)).join(", ")
  return `${[schema.type ?? "anything"].flat().join(" or ")}${bounds(schema)}`
}

/** The one of several that has fields; of null and a thing, the thing. */
const withFields = (document: ApiDocument, given: JsonSchema): JsonSchema | undefined => {
  const schema = resolve<JsonSchema>(document, given as JsonSchema & { readonly $ref: string })
  if (schema.properties !== undefined) return schema
  const parts = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]
  return parts.find((each) => each.properties !== undefined)
}

/** A row for each field of an object. */
export const fieldsOf = (document: ApiDocument, given: JsonSchema | undefined): Html | null => {
  const schema = given === undefined ? undefined : withFields(document, given)
  const entries = Object.entries(schema?.properties ?? {})
  if (entries.length === 0) return null
  return html`<dl>
    ${entries.map(
      ([name, field]) =>
        html`<dt>
            <code>${name}</code>
            <i>${typeOf(field)}</i>${schema?.required?.includes(name) === true && " required"}
          </dt>
          <dd>
            ${field.description ?? field.anyOf?.find((each) => each.description !== undefined)?.description}
          </dd>`
    )}
  </dl>`
}
