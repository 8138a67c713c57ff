/** What a schema of the API document says about one value, in words. */
import { type ApiDocument, type JsonSchema, nameOf, resolveSchema } from "./ApiDocument.ts"

const isNull = ({ type }: JsonSchema): boolean => type === "null"

/** The schemas that a value is one of, without null. */
export const choicesIn = (document: ApiDocument, given: JsonSchema): ReadonlyArray<JsonSchema> => {
  const schema = resolveSchema(document, given)
  return schema.anyOf === undefined
    ? [schema]
    : schema.anyOf.filter((each) => !isNull(each)).flatMap((each) => choicesIn(document, each))
}

/** The parts of `allOf` in one object. */
const merged = (document: ApiDocument, given: JsonSchema): JsonSchema => {
  const schema = resolveSchema(document, given)
  if (schema.allOf === undefined) return schema
  const parts = schema.allOf.map((each) => merged(document, each))
  const named = new Map<string, JsonSchema>()
  for (const [name, field] of parts.flatMap(({ properties }) => Object.entries(properties ?? {}))) {
    const known = named.get(name)
    // both describe one field: the attempts of a status, and what only events add to them
    named.set(name, known === undefined ? field : { ...known, items: { allOf: itemsOf(known, field) } })
  }
  return {
    type: "object",
    properties: Object.fromEntries(named),
    required: parts.flatMap(({ required }) => required ?? [])
  }
}

const itemsOf = (...lists: ReadonlyArray<JsonSchema>): ReadonlyArray<JsonSchema> =>
  lists.flatMap(({ items }) => (items === undefined ? [] : [items]))

export interface FieldView {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

const fieldsIn = ({ properties = {}, required = [] }: JsonSchema): ReadonlyArray<FieldView> =>
  Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }))

/** The fields of an object; of one of several, those of all of them; of a list, those of its items. */
export const fieldsOf = (document: ApiDocument, given: JsonSchema): ReadonlyArray<FieldView> => {
  const found = new Map<string, FieldView>()
  for (const choice of choicesIn(document, given)) {
    const schema = merged(document, choice)
    const fields = schema.items === undefined ? fieldsIn(schema) : fieldsOf(document, schema.items)
    for (const field of fields) if (!found.has(field.name)) found.set(field.name, field)
  }
  return [...found.values()]
}

/** The first choice that has fields, or else the first one. */
export const mainChoice = (document: ApiDocument, given: JsonSchema): JsonSchema => {
  const all = choicesIn(document, given).map((each) => merged(document, each))
  return all.find(({ properties }) => properties !== undefined) ?? all[0] ?? {}
}

export const isNullable = (document: ApiDocument, given: JsonSchema): boolean => {
  const { type, anyOf = [] } = resolveSchema(document, given)
  return (
    (Array.isArray(type) && type.includes("null")) ||
    anyOf.some((each) => isNull(each) || isNullable(document, each))
  )
}

const PLURALS: Readonly<Record<string, string>> = {
  string: "strings",
  integer: "integers",
  object: "objects",
  boolean: "booleans",
  number: "numbers"
}

const FORMATS: Readonly<Record<string, string>> = { "date-time": "date-time", uuid: "UUID" }

const simpleType = (document: ApiDocument, schema: JsonSchema): string => {
  const type = [schema.type ?? "any"].flat().find((each) => each !== "null") ?? "any"
  if (type === "array") {
    const items = schema.items ?? { anyOf: schema.prefixItems ?? [] }
    const names = typesOf(document, items).map((each) => PLURALS[each] ?? each)
    return `list of ${names.length === 0 ? "values" : names.join(" or ")}`
  }
  return FORMATS[schema.format ?? ""] ?? (schema.properties !== undefined || schema.allOf ? "object" : type)
}

const typesOf = (document: ApiDocument, given: JsonSchema): ReadonlyArray<string> => [
  ...new Set(choicesIn(document, given).map((each) => simpleType(document, each)))
]

/** Such as `string or list of objects`, and whether it may be null. */
export const typeName = (document: ApiDocument, schema: JsonSchema): string =>
  [...typesOf(document, schema), ...(isNullable(document, schema) ? ["null"] : [])].join(" or ")

const range = (low: number | undefined, high: number | undefined, unit: string): string | undefined => {
  const number = (value: number) => value.toLocaleString("en")
  if (low !== undefined && high !== undefined) return `${number(low)} to ${number(high)}${unit}`
  if (high !== undefined) return `at most ${number(high)}${unit}`
  return low === undefined || low === 0 ? undefined : `at least ${number(low)}${unit}`
}

const LARGEST_ID = 2_147_483_647

/** The limits of a value, such as `1 to 100` or `at most 255 characters`. */
export const limitsOf = (document: ApiDocument, given: JsonSchema): ReadonlyArray<string> => {
  const all = choicesIn(document, given).flatMap((schema) => [
    schema.maximum === LARGEST_ID ? undefined : range(schema.minimum, schema.maximum, ""),
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items")
  ])
  return [...new Set(all.filter((each) => each !== undefined))]
}

/** The values that are allowed; empty: any. */
export const valuesOf = (document: ApiDocument, given: JsonSchema): ReadonlyArray<unknown> =>
  choicesIn(document, given).flatMap((schema) => {
    const items = schema.items === undefined ? [] : valuesOf(document, schema.items)
    return [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const]), ...items]
  })

/** A schema's description: the one at its use, or else the one of its declaration. */
export const descriptionOf = (document: ApiDocument, given: JsonSchema): string | undefined =>
  [given, resolveSchema(document, given), ...(given.anyOf ?? []), ...choicesIn(document, given)].find(
    ({ description }) => description !== undefined
  )?.description

export const exampleOf = (document: ApiDocument, given: JsonSchema): unknown =>
  given.examples?.[0] ??
  choicesIn(document, given).find(({ examples }) => examples !== undefined)?.examples?.[0]

export const defaultOf = (document: ApiDocument, given: JsonSchema): unknown =>
  given.default ?? choicesIn(document, given).find((each) => each.default !== undefined)?.default

/** The name of the schema that a value has, or its items. */
export const schemaName = (given: JsonSchema): string | undefined => {
  const all = [given, ...(given.anyOf ?? []), ...(given.items === undefined ? [] : [given.items])]
  const $ref = all.find((each) => each.$ref !== undefined)?.$ref
  return $ref === undefined ? undefined : nameOf($ref)
}
