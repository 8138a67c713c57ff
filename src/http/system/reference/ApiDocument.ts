/** What the reference reads of the OpenAPI document. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly prefixItems?: ReadonlyArray<JsonSchema>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly schema?: JsonSchema
}

export interface Example {
  readonly summary?: string
  readonly value: unknown
}

interface Media {
  readonly schema?: JsonSchema
  readonly examples?: Readonly<Record<string, Example>>
}

export interface Header {
  readonly description?: string
  readonly schema?: JsonSchema
}

type OrReference<A> = A | { readonly $ref: string }

export interface ApiResponse {
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
  readonly headers?: Readonly<Record<string, OrReference<Header>>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters?: ReadonlyArray<OrReference<Parameter>>
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, OrReference<ApiResponse>>>
}

export interface ErrorEntry {
  readonly status: number
  readonly message: string
  /** What to do: Markdown of docs/errors.md, which the reference adds to the document. */
  readonly advice?: string
}

export interface Tag {
  readonly name: string
  readonly description?: string
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

export interface ApiDocument {
  readonly info: { readonly title: string; readonly description?: string }
  readonly tags: ReadonlyArray<Tag>
  readonly paths: Paths
  readonly webhooks?: Paths
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly "x-error-codes": Readonly<Record<string, ErrorEntry>>
}

/** The last part of `#/components/schemas/Name`. */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** The target of a reference; the value itself if it is none. */
export const resolve = <A>(document: ApiDocument, thing: OrReference<A>): A => {
  if (typeof thing !== "object" || thing === null || !("$ref" in thing) || typeof thing.$ref !== "string")
    return thing as A
  const [kind = "", name = ""] = thing.$ref.split("/").slice(2)
  return document.components[kind]?.[name] as A
}

export const resolveSchema = (document: ApiDocument, schema: JsonSchema): JsonSchema =>
  resolve<JsonSchema>(document, schema as JsonSchema & { readonly $ref: string })

/** An operation with where it is. Webhooks have the name of their event in place of a path. */
export interface PlacedOperation {
  readonly path: string
  readonly method: string
  readonly operation: Operation
  readonly isWebhook: boolean
}

export interface Group {
  readonly tag: Tag
  /** The last part of its page's address. */
  readonly slug: string
  readonly operations: ReadonlyArray<PlacedOperation>
}

const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

const operationsIn = (paths: Paths, isWebhook: boolean): ReadonlyArray<PlacedOperation> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation, isWebhook }))
  )

/** The operations by their tags, in the document's order. */
export const groupsOf = (document: ApiDocument): ReadonlyArray<Group> => {
  const operations = [...operationsIn(document.paths, false), ...operationsIn(document.webhooks ?? {}, true)]
  return document.tags
    .map((tag) => ({
      tag,
      slug: slugOf(tag.name),
      operations: operations.filter(({ operation }) => operation.tags[0] === tag.name)
    }))
    .filter((group) => group.operations.length > 0)
}

export const parametersOf = (document: ApiDocument, operation: Operation): ReadonlyArray<Parameter> =>
  (operation.parameters ?? []).map((each) => resolve<Parameter>(document, each))

export const schemaIn = (content: ApiResponse["content"]): JsonSchema | undefined =>
  Object.values(content ?? {})[0]?.schema

/** The codes of a response with an error. */
export const codesIn = (document: ApiDocument, response: ApiResponse): ReadonlyArray<string> => {
  const schema = schemaIn(response.content)
  const alternatives = schema?.anyOf ?? (schema === undefined ? [] : [schema])
  return alternatives.flatMap((each) => {
    const code = resolveSchema(document, each).properties?.["error"]?.properties?.["code"]?.enum?.[0]
    return typeof code === "string" ? [code] : []
  })
}

export interface OperationError extends ErrorEntry {
  readonly code: string
}

/** Every error that an operation can return, by status. */
export const errorsOf = (document: ApiDocument, { responses }: Operation): ReadonlyArray<OperationError> =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, response]) => codesIn(document, resolve<ApiResponse>(document, response)))
    .flatMap((code) => {
      const entry = document["x-error-codes"][code]
      return entry === undefined ? [] : [{ code, ...entry }]
    })
