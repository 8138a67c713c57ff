import { Predicate } from "effect"

/** The parts of an OpenAPI document that the tests read. */
export type JsonObject = Readonly<Record<string, unknown>>

export const objectAt = (value: unknown, ...path: ReadonlyArray<string>): JsonObject => {
  let current = value
  for (const key of path) current = Predicate.isObject(current) ? Reflect.get(current, key) : undefined
  if (!Predicate.isObject(current) || Array.isArray(current))
    throw new Error(`no object at ${path.join(".")}`)
  return current as JsonObject
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"]

/** Every operation under its method and path, e.g. `post /v1/otp/send`. */
export const operations = (document: unknown): ReadonlyMap<string, JsonObject> => {
  const paths = objectAt(document, "paths")
  return new Map(
    Object.keys(paths).flatMap((path) =>
      METHODS.filter((method) => method in objectAt(paths, path)).map((method): [string, JsonObject] => [
        `${method} ${path}`,
        objectAt(paths, path, method)
      ])
    )
  )
}

/** Follows a reference into the document's components. */
export const resolveReference = (document: unknown, reference: string): JsonObject =>
  objectAt(document, ...reference.replace(/^#\//, "").split("/"))

/** A part of the document, or what it refers to. */
export const dereference = (document: unknown, part: unknown): JsonObject => {
  const object = objectAt(part)
  const reference = object["$ref"]
  return typeof reference === "string" ? resolveReference(document, reference) : object
}

/** All references of a value, at any depth. */
export const references = (value: unknown): ReadonlyArray<string> => {
  if (!Predicate.isObject(value)) return []
  const below = Object.values(value).flatMap(references)
  const own = Reflect.get(value, "$ref")
  return typeof own === "string" ? [own, ...below] : below
}

const valuesOf = (schema: JsonObject): ReadonlyArray<string> =>
  [schema["const"], ...(Array.isArray(schema["enum"]) ? schema["enum"] : [])].filter(
    (value): value is string => typeof value === "string"
  )

/** The values that property `code` can have in a schema, through references and alternatives. */
const codesIn = (document: unknown, schema: unknown): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap((each) => codesIn(document, each))
  if (!Predicate.isObject(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "$ref" && typeof value === "string")
      return codesIn(document, resolveReference(document, value))
    if (key === "code") return valuesOf(objectAt(value))
    return codesIn(document, value)
  })
}

/** The error codes an operation documents, as pairs of code and status. */
export const documentedCodes = (document: unknown, operation: JsonObject): ReadonlyArray<[string, number]> =>
  Object.entries(objectAt(operation, "responses")).flatMap(([status, response]) =>
    codesIn(document, response).map((code): [string, number] => [code, Number(status)])
  )
