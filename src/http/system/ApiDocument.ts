/** What the reference reads of the OpenAPI document. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: JsonSchema
}

interface Media {
  readonly schema?: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface ApiResponse {
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
}

type OrReference<A> = A | { readonly $ref: string }

export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<OrReference<Parameter>>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, OrReference<ApiResponse>>>
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly description?: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
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
