/** The operations of `openapi.json`, as the fuzzer uses them. */
import { readFileSync } from "node:fs"
import { makeRouteTable } from "../../src/http/RouteTable.ts"
import { dereference, type JsonObject, objectAt, operations } from "../http/OpenApiDocument.ts"

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly schema: unknown
}

export interface Operation {
  readonly method: string
  /** `/v1/otp/{verification_id}` */
  readonly template: string
  readonly parameters: ReadonlyArray<Parameter>
  /** Undefined where the operation takes no body. */
  readonly body: unknown
  readonly responses: JsonObject
}

export const document: unknown = JSON.parse(
  readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")
)

const parametersOf = (operation: JsonObject): ReadonlyArray<Parameter> =>
  ((operation["parameters"] ?? []) as ReadonlyArray<unknown>)
    .map((each): Partial<Parameter> => dereference(document, each))
    .map((parameter) => ({
      name: String(parameter.name),
      in: parameter.in ?? "query",
      required: parameter.required === true,
      schema: parameter.schema
    }))

const responsesOf = (operation: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(objectAt(operation, "responses")).map(([status, each]) => [
      status,
      dereference(document, each)
    ])
  )

const bodyOf = (operation: JsonObject): unknown =>
  operation["requestBody"] === undefined
    ? undefined
    : objectAt(operation, "requestBody", "content", "application/json")["schema"]

export const allOperations: ReadonlyArray<Operation> = [...operations(document)].map(
  ([endpoint, operation]) => {
    const [method = "", template = ""] = endpoint.split(" ")
    return {
      method: method.toUpperCase(),
      template,
      parameters: parametersOf(operation),
      body: bodyOf(operation),
      responses: responsesOf(operation)
    }
  }
)

const undocumented = (method: string, template: string, body?: unknown): Operation => ({
  method,
  template,
  parameters: [],
  body,
  responses: {}
})

/** Paths outside the document: only their errors are checked. */
export const otherOperations: ReadonlyArray<Operation> = [
  undocumented("GET", "/"),
  undocumented("GET", "/docs"),
  undocumented("GET", "/docs/api"),
  undocumented("GET", "/openapi.json"),
  undocumented("GET", "/simulator"),
  undocumented("GET", "/simulator/messages?phone=%2B989121234567"),
  undocumented("POST", "/v1/inbound/x", { type: "object", additionalProperties: true }),
  undocumented("POST", "/v1/inbound/reports/1", { type: "object", additionalProperties: true })
]

const findPath = makeRouteTable(
  allOperations.map(({ method, template }) => ({ method, path: template.replaceAll(/\{(\w+)\}/g, ":$1") }))
)

/** The operation that serves a request; none where the document has no such path or method. */
export const operationOf = (method: string, target: string): Operation | undefined => {
  const template = findPath(target.split(/[?#;]/)[0] ?? "")?.template
  const asked = method === "HEAD" ? "GET" : method
  return allOperations.find((operation) => operation.template === template && operation.method === asked)
}
