import { isJson, type Json, mapValues, objectAt } from "./Json.ts"

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
