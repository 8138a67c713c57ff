import { Predicate } from "effect"

/** A JSON object of the document. */
export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

/** Replaces every object of a value, the inner ones first. */
export const mapObjects = (value: unknown, change: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change))
  return isJson(value) ? mapObject(value, change) : value
}

/** Changes an object after all objects in it. */
export const mapObject = (object: Json, change: (object: Json) => Json): Json =>
  change(mapValues(object, (value) => mapObjects(value, change)))

export const mapValues = (object: Json, change: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** The object under a key; an empty one if there is none. */
export const objectAt = (object: Json, key: string): Json => {
  const value = object[key]
  return isJson(value) ? value : {}
}

/** An operation of the document, with its method and path. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly body: Json
}

/** Replaces every operation of a document. */
export const mapOperations = (document: Json, change: (operation: Operation) => Json): Json => ({
  ...document,
  paths: mapValues(objectAt(document, "paths"), (item, path) =>
    mapValues(isJson(item) ? item : {}, (body, method) =>
      isJson(body) ? change({ id: String(body["operationId"]), method, path, body }) : body
    )
  )
})

/** Adds components of one kind. */
export const withComponents = (document: Json, kind: string, added: Json): Json => {
  const components = objectAt(document, "components")
  return { ...document, components: { ...components, [kind]: { ...objectAt(components, kind), ...added } } }
}

export const componentReference = (kind: string, name: string): Json => ({
  $ref: `#/components/${kind}/${name}`
})
