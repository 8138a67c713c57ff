/**
 * The faults of a value, by the part of JSON Schema that `openapi.json` uses. The document allows more fields in a
 * response, so that some can be added; here a field that it does not name is wrong.
 */
import { Predicate } from "effect"
import { type JsonObject, resolveReference } from "../http/OpenApiDocument.ts"

type Schema = JsonObject

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}

const hasType = (value: unknown, type: unknown): boolean =>
  type === "integer" ? Number.isInteger(value) : typeOf(value) === type

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const compare = (schema: Schema, key: string, fails: (bound: number) => boolean): ReadonlyArray<string> => {
  const bound = schema[key]
  return typeof bound === "number" && fails(bound) ? [`${key} ${bound}`] : []
}

const ofNumber = (schema: Schema, value: number) => [
  ...compare(schema, "minimum", (bound) => value < bound),
  ...compare(schema, "maximum", (bound) => value > bound),
  ...compare(schema, "exclusiveMinimum", (bound) => value <= bound)
]

const ofString = (schema: Schema, value: string) => {
  const { pattern } = schema
  return [
    ...compare(schema, "minLength", (bound) => [...value].length < bound),
    ...compare(schema, "maxLength", (bound) => [...value].length > bound),
    ...(typeof pattern === "string" && !new RegExp(pattern, "u").test(value) ? [`pattern ${pattern}`] : [])
  ]
}

export const makeValidator = (document: unknown) => {
  const ofArray = (schema: Schema, value: ReadonlyArray<unknown>, at: string) => [
    ...compare(schema, "minItems", (bound) => value.length < bound),
    ...compare(schema, "maxItems", (bound) => value.length > bound),
    ...(Predicate.isObject(schema["items"])
      ? value.flatMap((each, index) => problems(schema["items"], each, `${at}[${index}]`))
      : [])
  ]

  const ofObject = (schema: Schema, value: Readonly<Record<string, unknown>>, at: string) => {
    const properties = (schema["properties"] ?? {}) as Readonly<Record<string, unknown>>
    const additional = schema["additionalProperties"] ?? ("properties" in schema ? false : undefined)
    const extra = Object.keys(value).filter((key) => !Object.hasOwn(properties, key))
    return [
      ...list(schema["required"]).flatMap((key) =>
        Object.hasOwn(value, String(key)) ? [] : [`${at}.${String(key)} is missing`]
      ),
      ...Object.entries(properties).flatMap(([key, property]) =>
        Object.hasOwn(value, key) ? problems(property, value[key], `${at}.${key}`) : []
      ),
      ...(additional === false ? extra.map((key) => `${at}.${key} is not declared`) : []),
      ...(Predicate.isObject(additional)
        ? extra.flatMap((key) => problems(additional, value[key], `${at}.${key}`))
        : [])
    ]
  }

  const ofAlternatives = (schema: Schema, value: unknown, at: string): ReadonlyArray<string> => {
    const alternatives = [schema["anyOf"], schema["oneOf"]].filter((each) => Array.isArray(each))
    return alternatives.flatMap((options) => {
      const found = list(options).map((option) => problems(option, value, at))
      return found.some((each) => each.length === 0)
        ? []
        : (found.sort((a, b) => a.length - b.length)[0] ?? [])
    })
  }

  const problems = (given: unknown, value: unknown, at: string): ReadonlyArray<string> => {
    if (!Predicate.isObject(given)) return []
    const schema = given as Schema
    const reference = schema["$ref"]
    if (typeof reference === "string") return problems(resolveReference(document, reference), value, at)
    const { type } = schema
    const types = Array.isArray(type) ? type : type === undefined ? [] : [type]
    if (types.length > 0 && !types.some((each) => hasType(value, each)))
      return [`${at} is ${typeOf(value)}, not ${types.join(" or ")}`]
    const choices = schema["enum"]
    if (Array.isArray(choices) && !choices.includes(value)) return [`${at} is none of ${choices.join(", ")}`]
    const own = [
      ...(typeof value === "number" ? ofNumber(schema, value) : []),
      ...(typeof value === "string" ? ofString(schema, value) : [])
    ].map((problem) => `${at}: ${problem}`)
    return [
      ...own,
      ...(Array.isArray(value) ? ofArray(schema, value, at) : []),
      ...(typeOf(value) === "object" ? ofObject(schema, value as Record<string, unknown>, at) : []),
      ...list(schema["allOf"]).flatMap((part) => problems(part, value, at)),
      ...ofAlternatives(schema, value, at)
    ]
  }

  return (schema: unknown, value: unknown) => problems(schema, value, "body")
}
