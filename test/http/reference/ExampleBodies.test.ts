import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  type ApiDocument,
  type ApiResponse,
  groupsOf,
  type JsonSchema,
  resolve,
  resolveSchema,
  schemaIn
} from "../../../src/http/system/reference/ApiDocument.ts"
import { exampleBody } from "../../../src/http/system/reference/ExampleBodies.ts"
import { descriptionOf, fieldsOf } from "../../../src/http/system/reference/Schemas.ts"

const document = JSON.parse(
  readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")
) as ApiDocument

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return Number.isInteger(value) ? "integer" : typeof value
}

/** Where a value does not fit a schema. */
const misfits = (given: JsonSchema, value: unknown, at: string): ReadonlyArray<string> => {
  const schema = resolveSchema(document, given)
  if (schema.anyOf !== undefined) {
    const all = schema.anyOf.map((each) => misfits(each, value, at))
    return all.find((each) => each.length === 0) ?? all.toSorted((a, b) => a.length - b.length)[0] ?? []
  }
  if (schema.allOf !== undefined) return schema.allOf.flatMap((each) => misfits(each, value, at))
  const types = [schema.type ?? []].flat()
  const kind = kindOf(value)
  if (types.length > 0 && !types.includes(kind) && !(kind === "integer" && types.includes("number")))
    return [`${at} is ${kind}, not ${types.join(" or ")}`]
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [`${at} may not be ${JSON.stringify(value)}`]
  if (Array.isArray(value))
    return value.flatMap((each, index) =>
      schema.items === undefined ? [] : misfits(schema.items, each, `${at}[${index}]`)
    )
  if (kind !== "object") return []
  const fields = value as Readonly<Record<string, unknown>>
  const missing = (schema.required ?? []).filter((name) => !(name in fields))
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      name in fields ? misfits(each, fields[name], `${at}.${name}`) : []
    )
  ]
}

const bodies = groupsOf(document).flatMap(({ operations }) =>
  operations.flatMap(({ operation, isWebhook }) => {
    const id = operation.operationId
    const event = isWebhook ? schemaIn(operation.requestBody?.content) : undefined
    const responses = Object.entries(operation.responses).flatMap(([status, response]) => {
      const { content } = resolve<ApiResponse>(document, response)
      const schema = Number(status) < 300 && content?.["application/json"] ? schemaIn(content) : undefined
      return schema === undefined ? [] : [{ name: `${id} ${status}`, schema }]
    })
    return event === undefined ? responses : [...responses, { name: id, schema: event }]
  })
)

describe("the example of", () => {
  it.each(bodies)("$name fits its schema", ({ name, schema }) => {
    const body = exampleBody(document, schema)
    expect(misfits(schema, body, name)).toEqual([])
    // nothing is left to guess
    expect(JSON.stringify(body)).not.toContain('"…"')
  })

  it.each(bodies)("$name has no field without a word on it", ({ schema }) => {
    const undescribed = (given: JsonSchema, at: string): ReadonlyArray<string> =>
      fieldsOf(document, given).flatMap(({ name, schema: field }) => [
        ...(descriptionOf(document, field) === undefined ? [`${at}.${name}`] : []),
        ...undescribed(field, `${at}.${name}`)
      ])
    expect(undescribed(schema, "")).toEqual([])
  })
})
