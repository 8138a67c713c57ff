import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { TEST_EVENT, WebhookEventType } from "../../src/domain/Webhook.ts"
import { eventCatalogue, eventTable } from "../../src/http/manage/EventCatalogue.ts"

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly allOf?: ReadonlyArray<Schema>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
}
const document = JSON.parse(read("openapi.json")) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
const { schemas } = document.components
const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {})

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value
}
const isOfType = (value: unknown, type: string): boolean =>
  typeOf(value) === type || (type === "number" && typeof value === "number")

/** What is wrong with a value by the schemas of the OpenAPI document: the paths of it. */
const problems = (given: Schema, value: unknown, path: string): ReadonlyArray<string> => {
  const schema = resolved(given)
  const choices = schema.anyOf ?? schema.oneOf
  const isObject = typeOf(value) === "object"
  return [
    ...(schema.type === undefined || [schema.type].flat().some((type) => isOfType(value, type))
      ? []
      : [`${path}: ${typeOf(value)}`]),
    ...(schema.enum === undefined || schema.enum.includes(value) ? [] : [`${path}: ${String(value)}`]),
    ...(choices === undefined || choices.some((choice) => problems(choice, value, path).length === 0)
      ? []
      : [`${path}: no choice`]),
    ...(schema.allOf ?? []).flatMap((part) => problems(part, value, path)),
    ...(isObject
      ? (schema.required ?? [])
          .filter((name) => !(name in Object(value)))
          .map((name) => `${path}.${name}: absent`)
      : []),
    ...(isObject
      ? Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
          name in Object(value) ? problems(part, Object(value)[name], `${path}.${name}`) : []
        )
      : []),
    ...(schema.items !== undefined && Array.isArray(value)
      ? value.flatMap((item, nth) => problems(schema.items ?? {}, item, `${path}[${nth}]`))
      : [])
  ]
}

/** The schema of the events with this type. */
const schemaOf = (type: string): Schema | undefined =>
  Object.values(schemas).find(
    ({ properties }) =>
      properties?.["mode"] !== undefined && properties["type"]?.enum?.includes(type) === true
  )

describe("the catalogue of events", () => {
  it("has every type once, and a test event", () => {
    assert.deepStrictEqual(
      eventCatalogue.map(({ type }) => type),
      [...WebhookEventType.literals, TEST_EVENT]
    )
  })

  it.each(eventCatalogue.map(({ type, sample }) => [type, sample] as const))(
    "has a sample of %s as its schema says",
    (type, sample) => {
      const schema = schemaOf(type)
      assert.isDefined(schema)
      const body = JSON.parse(sample) as { readonly type: string; readonly data: object }
      assert.strictEqual(body.type, type)
      assert.deepStrictEqual(problems(schema ?? {}, body, "body"), [])
    }
  )

  it("shows a check that fails", () => {
    const schema = schemaOf("verification.queued") ?? {}
    const { sample = "{}" } = eventCatalogue.find(({ type }) => type === "verification.queued") ?? {}
    const body = JSON.parse(sample)
    assert.deepStrictEqual(
      problems(
        schema,
        { ...body, mode: "other", data: { ...body.data, status: 7, sequence: undefined } },
        "body"
      ).length > 1,
      true
    )
  })

  it("is the table of the documents", () => {
    assert.include(read("docs/webhooks.md"), eventTable("english"))
    assert.include(read("docs/fa/webhooks.md"), eventTable("persian"))
  })

  it("is shown by a sample of each kind in the documents", () => {
    const page = read("docs/webhooks.md")
    for (const type of ["verification.verified", "message.sent", "guard.alarm", TEST_EVENT]) {
      const { sample = "" } = eventCatalogue.find((event) => event.type === type) ?? {}
      assert.include(page, `\`\`\`json\n${JSON.stringify(JSON.parse(sample), null, 2)}\n\`\`\``)
    }
  })
})
