/** The TypeScript types of an OpenAPI document: `components["schemas"]` and `operations`, for the client. */

interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | Schema
  readonly items?: boolean | Schema
  readonly prefixItems?: ReadonlyArray<Schema>
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface WithContent {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

type Referable<T> = T | { readonly $ref: string }

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: ReadonlyArray<Referable<Parameter>>
  readonly requestBody?: WithContent & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Referable<WithContent>>>
}

export interface TypedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, WithContent>>
  }
}

/** Keywords that say nothing about a type. Any other one that is not handled here must not be overlooked. */
const IGNORED = new Set(
  "description format minimum maximum minLength maxLength minItems maxItems pattern examples default".split(
    " "
  )
)
const HANDLED = new Set(
  "$ref type enum anyOf allOf properties required additionalProperties items prefixItems".split(" ")
)

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null"
}

const quoted = (name: string) => JSON.stringify(name)

const docOf = (text: string | undefined) =>
  text === undefined ? "" : `/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", " ")} */\n`

const field = (name: string, isRequired: boolean, type: string, description?: string) =>
  `${docOf(description)}${quoted(name)}${isRequired ? "" : "?"}: ${type}`

const objectOf = (fields: ReadonlyArray<string>) =>
  fields.length === 0 ? "{}" : `{\n${fields.join("\n")}\n}`

const recordOf = (values: boolean | Schema | undefined) =>
  `{ [key: string]: ${typeof values === "object" ? typeOf(values) : "unknown"} }`

const objectType = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
  const fields = Object.entries(properties).map(([name, schema]) =>
    field(name, required.includes(name), typeOf(schema), schema.description)
  )
  if (fields.length === 0)
    return additionalProperties === false ? "Record<string, never>" : recordOf(additionalProperties)
  return objectOf(fields)
}

const arrayType = ({ items, prefixItems }: Schema): string =>
  prefixItems === undefined
    ? `Array<${typeof items === "object" ? typeOf(items) : "unknown"}>`
    : `[${prefixItems.map(typeOf).join(", ")}]`

const ofType = (schema: Schema, type: string): string =>
  type === "object" ? objectType(schema) : type === "array" ? arrayType(schema) : (SCALARS[type] ?? "unknown")

const checkKeywords = (schema: Schema) => {
  const unknown = Object.keys(schema).find((keyword) => !IGNORED.has(keyword) && !HANDLED.has(keyword))
  if (unknown !== undefined) throw new Error(`the client's types cannot express the keyword ${unknown}`)
}

const typeOf = (schema: Schema): string => {
  checkKeywords(schema)
  if (schema.$ref !== undefined) return `components["schemas"][${quoted(nameOf(schema.$ref))}]`
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  const parts = [
    ...(schema.anyOf === undefined ? [] : [schema.anyOf.map(typeOf).join(" | ")]),
    ...(schema.allOf ?? []).map(typeOf),
    ...(schema.type === undefined
      ? []
      : [
          [schema.type]
            .flat()
            .map((type) => ofType(schema, type))
            .join(" | ")
        ])
  ]
  return parts.length < 2 ? (parts[0] ?? "unknown") : parts.map((part) => `(${part})`).join(" & ")
}

const nameOf = (reference: string) => reference.split("/").at(-1) ?? ""

const resolved = <T extends object>(given: Referable<T>, shared: Readonly<Record<string, T>>): T => {
  if (!("$ref" in given)) return given
  const found = shared[nameOf(given.$ref)]
  if (found === undefined) throw new Error(`there is no ${given.$ref}`)
  return found
}

const parametersOf = (parameters: ReadonlyArray<Parameter>): string =>
  objectOf(
    ["query", "header", "path"].map((place) => {
      const own = parameters.filter((parameter) => parameter.in === place)
      const fields = own.map(({ name, required = false, schema, description }) =>
        field(name, required, typeOf(schema), description)
      )
      const isRequired = own.some(({ required }) => required === true)
      return field(place, isRequired, own.length === 0 ? "never" : objectOf(fields))
    })
  )

const contentOf = ({ content }: WithContent) =>
  content === undefined
    ? "{}"
    : `{ content: ${objectOf(
        Object.entries(content).map(([type, { schema = {} }]) => field(type, true, typeOf(schema)))
      )} }`

const operationOf = (operation: Operation, { parameters, responses }: TypedDocument["components"]) => {
  const { requestBody, operationId, summary } = operation
  const given = (operation.parameters ?? []).map((each) => resolved(each, parameters))
  const answers = Object.entries(operation.responses).map(
    ([status, response]) => `${quoted(status)}: ${contentOf(resolved(response, responses))}`
  )
  return field(
    operationId,
    true,
    objectOf([
      field("parameters", true, parametersOf(given)),
      ...(requestBody === undefined
        ? []
        : [field("requestBody", requestBody.required === true, contentOf(requestBody))]),
      field("responses", true, objectOf(answers.map((answer) => answer.replace(/^"(\d+)"/, "$1"))))
    ]),
    summary
  )
}

export const clientTypes = ({ paths, components }: TypedDocument): string => {
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    field(name, true, typeOf(schema), schema.description)
  )
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => operationOf(operation, components))
  return `/** Made from openapi.json when it is needed; not kept in git. */

export interface components {
schemas: ${objectOf(schemas)}
}

export interface operations ${objectOf(operations)}
`
}
