import { isJson, type Json, mapObject } from "./Json.ts"

const withoutBounds = ({ minimum, maximum, exclusiveMinimum, ...rest }: Json): Json => ({
  ...rest,
  ...(minimum === Number.MIN_SAFE_INTEGER || minimum === undefined ? {} : { minimum }),
  ...(exclusiveMinimum === 0 ? { minimum: 1 } : {}),
  ...(maximum === Number.MAX_SAFE_INTEGER || maximum === undefined ? {} : { maximum })
})

/** The bounds of JavaScript's numbers are not the API's. */
const tidyInteger = (schema: Json): Json =>
  schema["type"] === "integer" ? { ...withoutBounds(schema), format: "int64" } : schema

/** `{anyOf: […], allOf: [{description}]}`: the description belongs to the schema itself. */
const inlineDescription = (schema: Json): Json => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || allOf.length !== 1) return schema
  const [only]: ReadonlyArray<unknown> = allOf
  const isDescription =
    isJson(only) && Object.keys(only).every((key) => key === "description" || key === "examples")
  return isDescription ? { ...rest, ...only } : schema
}

const typeOf = (schema: unknown): unknown =>
  isJson(schema) && Object.keys(schema).length === 1 ? schema["type"] : undefined

/** `anyOf` of plain types is a list of types, which generators read as a nullable type. */
const joinTypes = (schema: Json): Json => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || typeOf(anyOf[1]) !== "null") return schema
  const [first]: ReadonlyArray<unknown> = anyOf
  if (!isJson(first) || typeof first["type"] !== "string" || "enum" in first) return schema
  return { ...first, type: [first["type"], "null"], ...rest }
}

/** Schemas as generators read them best; they accept the same values. */
export const plainSchemas = (document: Json): Json =>
  mapObject(document, (schema) => joinTypes(inlineDescription(tidyInteger(schema))))
