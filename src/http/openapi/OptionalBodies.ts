import { isJson, type Json, objectAt } from "./Json.ts"
import { mapOperations } from "./Operations.ts"

const isNull = (schema: unknown): boolean => isJson(schema) && schema["type"] === "null"

/** The schema of a body that an operation can do without; undefined if it needs one. */
const givenSchema = (body: Json): Json | undefined => {
  const { anyOf } = objectAt(objectAt(objectAt(body, "content"), "application/json"), "schema")
  if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return undefined
  return anyOf.filter(isJson).find((each) => !isNull(each))
}

/** A body that may be missing is optional, not null. */
export const describeOptionalBodies = (document: Json): Json =>
  mapOperations(document, ({ body }) => {
    const schema = givenSchema(objectAt(body, "requestBody"))
    return schema === undefined
      ? body
      : { ...body, requestBody: { required: false, content: { "application/json": { schema } } } }
  })
