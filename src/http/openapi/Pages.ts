import { type Json, objectAt } from "./Json.ts"
import { componentReference, mapOperations, withComponents } from "./Operations.ts"

const SCHEMAS = "#/components/schemas/"

/** The items of a list's `data`, if a schema is a list. */
const itemOf = (schema: Json): string | null => {
  const properties = objectAt(schema, "properties")
  if (!("data" in properties && "next_cursor" in properties)) return null
  const reference = objectAt(objectAt(properties, "data"), "items")["$ref"]
  return typeof reference === "string" ? reference.replace(SCHEMAS, "") : null
}

/** Names the schema of each list by what it lists: `WebhookList`. */
export const namePages = (document: Json): Json => {
  const lists: Record<string, Json> = {}
  const mapped = mapOperations(document, ({ body }) => {
    const responses = objectAt(body, "responses")
    const success = objectAt(responses, "200")
    const content = objectAt(success, "content")
    const schema = objectAt(objectAt(content, "application/json"), "schema")
    const item = itemOf(schema)
    if (item === null) return body
    const name = `${item}List`
    lists[name] = schema
    const json = { "application/json": { schema: componentReference("schemas", name) } }
    return { ...body, responses: { ...responses, 200: { ...success, content: { ...content, ...json } } } }
  })
  return withComponents(mapped, "schemas", lists)
}
