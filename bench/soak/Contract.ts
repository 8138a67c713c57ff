/** The responses that the published API allows: read from openapi.json, not from the code under test. */
import { readFileSync } from "node:fs"
import type { Reply } from "./Client.ts"

interface Schema {
  readonly anyOf?: ReadonlyArray<Schema>
  readonly enum?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly $ref?: string
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
  readonly $ref?: string
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
  >
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as Document

/** The component that a reference names. */
const named = <A>(components: Readonly<Record<string, A>>, reference: string | undefined): A | undefined =>
  reference === undefined ? undefined : components[reference.split("/").at(-1) ?? ""]

const codesIn = (schema: Schema | undefined): ReadonlyArray<string> => {
  if (schema === undefined) return []
  return [
    ...codesIn(named(document.components.schemas, schema.$ref)),
    ...(schema.anyOf ?? []).flatMap(codesIn),
    ...(schema.properties?.["error"]?.properties?.["code"]?.enum ?? [])
  ]
}

/** By operation and status: the codes that its errors may have. */
const documented = new Map<string, ReadonlyArray<string>>()
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, { responses }] of Object.entries(methods)) {
    for (const [status, response] of Object.entries(responses)) {
      const { content } = named(document.components.responses, response.$ref) ?? response
      documented.set(
        `${method.toUpperCase()} ${path} ${status}`,
        codesIn(content?.["application/json"]?.schema)
      )
    }
  }
}

export const errorCodeOf = ({ body }: Reply): string | undefined => {
  const { error } = Object(body) as { readonly error?: { readonly code?: unknown } }
  return typeof error?.code === "string" ? error.code : undefined
}

const isEnvelope = ({ body, requestId }: Reply): boolean => {
  const { error, request_id } = Object(body)
  const { code, message, details } = Object(error)
  return (
    typeof code === "string" &&
    typeof message === "string" &&
    typeof details === "object" &&
    details !== null &&
    request_id === requestId
  )
}

/** The fault of a response; undefined: none. A defect (500) is wrong, documented or not. */
export const problemOf = (reply: Reply): string | undefined => {
  const { operation, status } = reply
  const summary = `${operation} answered ${status} ${JSON.stringify(reply.body)}`
  const codes = documented.get(`${operation} ${status}`)
  if (codes === undefined) return `${summary}, which is not documented`
  if (status < 400) return undefined
  if (!isEnvelope(reply)) return `${summary}, which is no envelope`
  if (status === 500) return summary
  if (status === 503 && reply.retryAfter === undefined) return `${summary} without Retry-After`
  return codes.includes(errorCodeOf(reply) ?? "")
    ? undefined
    : `${summary}, whose code is not documented there`
}
