/** What typed clients need of an OpenAPI document: the bodies and queries of the service keys' operations, as structures. */

interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly description?: string
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly schema: Schema
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

interface ModelDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

export type FieldType =
  | { readonly kind: "text" | "integer" | "number" | "flag" | "map" | "any" }
  | { readonly kind: "list"; readonly of: FieldType }
  | { readonly kind: "structure"; readonly name: string }

export interface Field {
  /** Its name in the API. */
  readonly name: string
  readonly type: FieldType
  readonly isRequired: boolean
  /** Null, or absent. */
  readonly mayBeNull: boolean
  readonly description: string
}

export interface Structure {
  readonly name: string
  readonly isRequest: boolean
  readonly description: string
  readonly fields: ReadonlyArray<Field>
}

const SCALARS: Readonly<Record<string, "text" | "integer" | "number" | "flag">> = {
  string: "text",
  integer: "integer",
  number: "number",
  boolean: "flag"
}

/** `skip_reason` is `SkipReason`. */
export const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const nameOf = (reference: string) => reference.split("/").at(-1) ?? ""

const isNull = ({ type }: Schema) => type === "null"

/** The alternatives of a schema, those of alternatives too. */
const alternativesOf = (schema: Schema): ReadonlyArray<Schema> =>
  schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(alternativesOf)

const listOf = (schema: Schema) => [schema.type ?? []].flat()

const isTextOrNull = (schema: Schema) => listOf(schema).every((type) => type === "null")

/** The operations with a service key: neither management nor the people who sign in. */
const isForKeys = (path: string) => /^\/v1\/(otp|messages|sandbox|phones|account)\b/.test(path)

class Model {
  readonly structures = new Map<string, Structure>()
  private readonly document: ModelDocument
  constructor(document: ModelDocument) {
    this.document = document
  }

  private readonly add = (name: string, schemas: ReadonlyArray<Schema>, isRequest: boolean): FieldType => {
    if (!this.structures.has(name)) {
      // first the name: a structure can contain itself
      this.structures.set(name, { name, isRequest, description: "", fields: [] })
      const fields = schemas.flatMap(({ properties = {}, required = [] }) =>
        Object.entries(properties).map(([field, schema]): Field => {
          const isRequired =
            schemas.every((each) => each.required?.includes(field)) && required.includes(field)
          const type = this.typeOf(schema, `${name}${pascalCase(field)}`, isRequest)
          const mayBeNull =
            !isRequired || alternativesOf(schema).some((each) => listOf(each).includes("null"))
          return { name: field, type, isRequired, mayBeNull, description: schema.description ?? "" }
        })
      )
      const first = fields.filter(({ name: own }, at) => fields.findIndex((each) => each.name === own) === at)
      const description = schemas[0]?.description ?? ""
      this.structures.set(name, { name, isRequest, description, fields: first })
    }
    return { kind: "structure", name }
  }

  readonly typeOf = (schema: Schema, name: string, isRequest: boolean): FieldType => {
    const alternatives = alternativesOf(schema).filter((each) => !isNull(each))
    if (alternatives.length > 1) {
      if (alternatives.every(({ properties }) => properties !== undefined))
        return this.add(name, alternatives, isRequest)
      // callers make the structures in it, such as ChannelObject
      for (const each of alternatives.flatMap(({ items }) =>
        items === undefined ? [] : alternativesOf(items)
      ))
        if (each.$ref !== undefined) this.typeOf(each, "", isRequest)
      return { kind: "any" }
    }
    const [only = {}] = alternatives
    if (only.$ref !== undefined) {
      const shared = nameOf(only.$ref)
      return this.typeOf(this.document.components.schemas[shared] ?? {}, shared, isRequest)
    }
    const types = listOf(only).filter((type) => type !== "null")
    if (types.length !== 1) return { kind: isTextOrNull(only) && only.enum !== undefined ? "text" : "any" }
    const [type = ""] = types
    const scalar = SCALARS[type]
    if (scalar !== undefined) return { kind: scalar }
    if (type === "array")
      return { kind: "list", of: this.typeOf(only.items ?? {}, name.replace(/s$/, ""), isRequest) }
    return only.properties === undefined ? { kind: "map" } : this.add(name, [only], isRequest)
  }

  readonly addQuery = (name: string, given: ReadonlyArray<Parameter>) => {
    const fields = given
      .map((each) =>
        each.$ref === undefined ? each : this.document.components.parameters[nameOf(each.$ref)]
      )
      .flatMap((each): ReadonlyArray<Field> =>
        each?.in !== "query"
          ? []
          : [
              {
                name: each.name,
                type: this.typeOf(each.schema, "", true),
                isRequired: false,
                mayBeNull: true,
                description: each.description ?? ""
              }
            ]
      )
    this.structures.set(name, { name, isRequest: true, description: "The filters of a list.", fields })
  }
}

const JSON_TYPE = "application/json"

/** The structures of all bodies and queries, in the order of the document. */
export const modelOf = (document: unknown): ReadonlyArray<Structure> => {
  const given = document as ModelDocument
  const model = new Model(given)
  for (const [path, methods] of Object.entries(given.paths)) {
    if (!isForKeys(path)) continue
    for (const { requestBody, responses, operationId, parameters = [] } of Object.values(methods)) {
      const request = requestBody?.content?.[JSON_TYPE]?.schema
      if (request !== undefined) model.typeOf(request, "", true)
      for (const [status, response] of Object.entries(responses))
        if (Number(status) < 300) model.typeOf(response.content?.[JSON_TYPE]?.schema ?? {}, "", false)
      if (operationId === "otp.list") model.addQuery("OtpListQuery", parameters)
      if (operationId === "messages.list") model.addQuery("MessageListQuery", parameters)
    }
  }
  return [...model.structures.values()]
}

/** Every code that an error of the API can have. */
export const errorCodesOf = (document: unknown): ReadonlyArray<string> => {
  const { schemas } = (document as ModelDocument).components
  const codes = Object.values(schemas).flatMap(
    ({ properties }) => (properties?.["request_id"] && properties["error"]?.properties?.["code"]?.enum) || []
  )
  return [...new Set(codes.map(String))].toSorted()
}
