/** The fields of a body, and the parameters of a request: name, type, whether required, limits, default, example. */
import { html, type Html } from "../../console/frame/Html.ts"
import type { ApiDocument, JsonSchema, Parameter } from "./ApiDocument.ts"
import {
  defaultOf,
  descriptionOf,
  exampleOf,
  fieldsOf,
  type FieldView,
  limitsOf,
  typeName,
  valuesOf
} from "./Schemas.ts"
import { prose } from "./Prose.ts"

/** Lists of more values fold. */
const MAX_SHOWN_VALUES = 8
const MAX_DEPTH = 4

const code = (value: unknown): Html =>
  html`<code>${typeof value === "string" ? value : JSON.stringify(value)}</code>`

const valuesPart = (values: ReadonlyArray<unknown>): Html | null => {
  if (values.length === 0) return null
  const all = html`${values.map((value) => html`${code(value)} `)}`
  if (values.length <= MAX_SHOWN_VALUES) return html`<p class="values"><span>One of</span> ${all}</p>`
  return html`<details class="more">
    <summary>One of ${values.length} values</summary>
    <p class="values">${all}</p>
  </details>`
}

const factsPart = (document: ApiDocument, schema: JsonSchema, example: unknown): Html | null => {
  const fallback = defaultOf(document, schema)
  const facts = [
    ...limitsOf(document, schema).map((limit) => html`<span>${limit}</span>`),
    ...(fallback === undefined ? [] : [html`<span>default ${code(fallback)}</span>`]),
    ...(example === undefined ? [] : [html`<span>example ${code(example)}</span>`])
  ]
  return facts.length === 0 ? null : html`<p class="facts">${facts}</p>`
}

interface FieldRow extends FieldView {
  readonly id: string
  readonly description?: string | undefined
  readonly example?: unknown
  /** Whether it says which fields a caller has to send. */
  readonly isRequest: boolean
}

const innerFields = (document: ApiDocument, row: FieldRow, depth: number): Html | null => {
  const inner = depth >= MAX_DEPTH ? [] : fieldsOf(document, row.schema)
  if (inner.length === 0) return null
  const rows = inner.map((field) =>
    fieldRow(document, { ...field, id: `${row.id}.${field.name}`, isRequest: row.isRequest }, depth + 1)
  )
  return html`<details class="more inner">
    <summary>
      ${inner.length === 1 ? "1 field" : `${inner.length} fields`}<span class="hidden"> of ${row.name}</span>
    </summary>
    <ul class="fields">
      ${rows}
    </ul>
  </details>`
}

const fieldRow = (document: ApiDocument, row: FieldRow, depth: number): Html => {
  const { id, name, schema, isRequired, isRequest } = row
  const description = row.description ?? descriptionOf(document, schema)
  const example = row.example ?? exampleOf(document, schema)
  const mark = isRequest
    ? isRequired && html`<b class="required">required</b>`
    : !isRequired && html`<span class="optional">may be absent</span>`
  return html`<li id="${id}">
    <p class="field"><code>${name}</code> <span class="type">${typeName(document, schema)}</span> ${mark}</p>
    ${description !== undefined && html`<p>${prose(description)}</p>`} ${factsPart(document, schema, example)}
    ${valuesPart(valuesOf(document, schema))} ${innerFields(document, row, depth)}
  </li>`
}

/** Rows for the fields of an object; null if it has none. */
export const bodyFields = (
  document: ApiDocument,
  schema: JsonSchema,
  { id, isRequest }: { readonly id: string; readonly isRequest: boolean }
): Html | null => {
  const fields = fieldsOf(document, schema)
  if (fields.length === 0) return null
  const rows = fields.map((field) =>
    fieldRow(document, { ...field, id: `${id}.${field.name}`, isRequest }, 1)
  )
  return html`<ul class="fields">
    ${rows}
  </ul>`
}

/** Rows for parameters in one part of the request. */
export const parameterFields = (
  document: ApiDocument,
  parameters: ReadonlyArray<Parameter>,
  id: string
): Html =>
  html`<ul class="fields">
    ${parameters.map(({ name, required, description, example, schema = {} }) =>
      fieldRow(
        document,
        {
          id: `${id}.${name}`,
          name,
          schema,
          isRequired: required === true,
          description,
          example,
          isRequest: true
        },
        1
      )
    )}
  </ul>`
