/** The collection for Postman and Bruno: one request for each operation, in folders by tag. */

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: { readonly type?: unknown }
}

interface Operation {
  readonly tags: ReadonlyArray<string>
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters?: ReadonlyArray<{ readonly $ref?: string } & Partial<Parameter>>
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
    >
  }
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> }
}

const header = (key: string, value: string, disabled = false) => ({
  key,
  value,
  ...(disabled ? { disabled } : {})
})

const credentialOf = (tag: string, { security = [] }: Operation) => {
  const schemes = security.flatMap((each) => Object.keys(each))
  if (schemes.includes("serviceKey"))
    return [header("X-API-Key", tag.startsWith("Sandbox") ? "{{test_key}}" : "{{live_key}}")]
  return schemes.includes("personalToken") ? [header("Authorization", "Bearer {{token}}")] : []
}

/** Postman makes a new id for each send. */
const HEADER_VALUES: Readonly<Record<string, string>> = { "Idempotency-Key": "{{$guid}}" }

const requestOf = (document: ApiDocument, path: string, method: string, operation: Operation) => {
  const parameters = (operation.parameters ?? []).map((each) =>
    each.$ref === undefined
      ? (each as Parameter)
      : (document.components.parameters[each.$ref.split("/").at(-1) ?? ""] as Parameter)
  )
  const named = (place: string) => parameters.filter((each) => each.in === place)
  const body = Object.values(operation.requestBody?.content ?? {})[0]
  const example = Object.values(body?.examples ?? {})[0]?.value
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      ...(operation.description === undefined ? {} : { description: operation.description }),
      header: [
        ...credentialOf(operation.tags[0] ?? "", operation),
        ...named("header").map(({ name, required }) =>
          header(name, HEADER_VALUES[name] ?? "", required !== true)
        ),
        ...(body === undefined ? [] : [header("Content-Type", "application/json")])
      ],
      url: {
        raw: `{{base_url}}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
        host: ["{{base_url}}"],
        path: path
          .slice(1)
          .replaceAll(/\{(\w+)\}/g, ":$1")
          .split("/"),
        variable: named("path").map(({ name }) => ({ key: name, value: "" })),
        query: named("query").map(({ name, description = "" }) => ({
          key: name,
          value: "",
          description,
          disabled: true
        }))
      },
      ...(body === undefined
        ? {}
        : {
            body: {
              mode: "raw",
              raw: JSON.stringify(example ?? {}, null, 2),
              options: { raw: { language: "json" } }
            }
          })
    }
  }
}

const variable = (key: string, value = "") => ({ key, value })

export const makeCollection = (document: ApiDocument) => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      item: requestOf(document, path, method, operation)
    }))
  )
  return {
    info: {
      name: document.info.title,
      description: "Made from openapi.json. Set base_url, live_key, test_key and token.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
    },
    variable: [
      variable("base_url", "http://127.0.0.1:8080"),
      variable("live_key"),
      variable("test_key"),
      variable("token")
    ],
    item: document.tags
      .map(({ name, description }) => ({
        name,
        description,
        item: operations.filter(({ tag }) => tag === name).map(({ item }) => item)
      }))
      .filter(({ item }) => item.length > 0)
  }
}
