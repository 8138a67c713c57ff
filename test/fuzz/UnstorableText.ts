/** Requests in which one text has a character that PostgreSQL cannot store, for every text of the document. */
import { type Random, randomOf } from "../../bench/soak/Random.ts"
import { type JsonObject, resolveReference } from "../http/OpenApiDocument.ts"
import { allOperations, document, type Operation } from "./ApiDocument.ts"
import type { Known } from "./Known.ts"
import type { RawRequest } from "./RawHttp.ts"
import { type Credentials, type Draft, makeDrafts, makeValues } from "./ValidRequests.ts"

export const UNSTORABLE = { "U+0000": "a\u0000b", "an unpaired surrogate": "a\ud800b" } as const

export interface UnstorableRequest {
  readonly operation: Operation
  /** `body.channels[0].provider` */
  readonly path: string
  readonly request: RawRequest
}

export interface UnstorableOptions {
  readonly credentials: Credentials
  readonly known: Known
  /** Milliseconds since 1970. */
  readonly now: number
}

interface Variant {
  readonly path: string
  readonly value: unknown
}

const SETTINGS = [
  "api_key",
  "token",
  "bot_token",
  "line_number",
  "template_id",
  "template_parameter",
  "sender"
]

const variantsOf = (values: ReturnType<typeof makeValues>, random: Random, bad: string) => {
  const inObject = (schema: JsonObject, valid: unknown, path: string): ReadonlyArray<Variant> => {
    const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, unknown>>)
    const base = Object(valid ?? values.valueOf(schema, random))
    const known = properties.flatMap(([name, property]) =>
      variants(property, Reflect.get(base, name), `${path}.${name}`).map(({ path: at, value }) => ({
        path: at,
        value: { ...base, [name]: value }
      }))
    )
    if (properties.length > 0) return known
    return [
      { path: `${path}.${bad}`, value: { ...base, [bad]: "x" } },
      { path: `${path}.x`, value: { ...base, x: bad } },
      { path: `${path}.x[0].y`, value: { ...base, x: [{ y: bad }] } },
      ...SETTINGS.map((name) => ({ path: `${path}.${name}`, value: { ...base, [name]: bad } }))
    ]
  }

  const variants = (given: unknown, valid: unknown, path: string): ReadonlyArray<Variant> => {
    const schema = given as JsonObject
    if (typeof schema["$ref"] === "string")
      return variants(resolveReference(document, schema["$ref"]), valid, path)
    const options = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"]
    if (Array.isArray(options)) return options.flatMap((each) => variants(each, undefined, path))
    const types = [schema["type"]].flat()
    return [
      ...(types.includes("string") || schema["enum"] !== undefined ? [{ path, value: bad }] : []),
      ...(types.includes("object") ? inObject(schema, valid, path) : []),
      ...(types.includes("array")
        ? variants(schema["items"] ?? {}, undefined, `${path}[0]`).map((each) => ({
            ...each,
            value: [each.value]
          }))
        : [])
    ]
  }
  return variants
}

const inBodies = (
  operation: Operation,
  draft: Draft,
  variants: ReturnType<typeof variantsOf>
): ReadonlyArray<UnstorableRequest> =>
  operation.body === undefined
    ? []
    : variants(operation.body, draft.body, "body").map(({ path, value }) => ({
        operation,
        path,
        request: { ...draft, body: Buffer.from(JSON.stringify(value)) }
      }))

/** Of a lone surrogate only its three bytes can be sent, which are not UTF-8. */
const encoded = (text: string) => text.replaceAll("\u0000", "%00").replaceAll("\ud800", "%ED%A0%80")

const inTargets = (
  operation: Operation,
  { method, target, headers, body }: Draft,
  bad: string
): ReadonlyArray<UnstorableRequest> => {
  const [path = ""] = target.split("?")
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body))
  const request = (changed: string) => ({ method, target: changed, headers, body: bytes })
  const segments = operation.template.split("/")
  return operation.parameters.flatMap(({ name, in: where }) => {
    if (where === "path") {
      const at = segments.indexOf(`{${name}}`)
      const changed = path.split("/").map((segment, index) => (index === at ? encoded(bad) : segment))
      return [{ operation, path: `path.${name}`, request: request(changed.join("/")) }]
    }
    if (where !== "query") return []
    const names = name.startsWith("metadata") ? ["metadata[a]", `metadata[${bad}]`] : [name]
    return names.map((each) => ({
      operation,
      path: `query.${each}`,
      request: request(`${path}?${encoded(each)}=${encoded(bad)}`)
    }))
  })
}

/** An operation, and a request to it that is accepted. */
export interface Accepted {
  readonly operation: Operation
  readonly draft: Draft
}

/** Each request is a new one, also to the same operation. */
const withKey = (headers: Draft["headers"], key: string): Draft["headers"] =>
  headers.map(([name, value]) => [name, name === "Idempotency-Key" ? key : value])

const MOST_TRIES = 80

/** Finds a request of each operation that is accepted; those without one are given as they were made last. */
export const acceptedRequests = async (
  { credentials, known, now }: UnstorableOptions,
  isAccepted: (request: RawRequest) => Promise<boolean>
): Promise<{ readonly accepted: ReadonlyArray<Accepted>; readonly refused: ReadonlyArray<Accepted> }> => {
  const drafts = makeDrafts(credentials, known, now)
  const [accepted, refused]: [Array<Accepted>, Array<Accepted>] = [[], []]
  for (const [index, operation] of allOperations.entries()) {
    // What it removes would be missing afterwards.
    const tries = operation.method === "DELETE" ? 1 : MOST_TRIES
    let found: Accepted | undefined
    let last: Accepted | undefined
    for (let attempt = 0; attempt < tries && found === undefined; attempt++) {
      const draft = drafts(operation, randomOf("unstorable", index * MOST_TRIES + attempt))
      last = { operation, draft }
      const body = draft.body === undefined ? null : Buffer.from(JSON.stringify(draft.body))
      if (operation.method !== "DELETE" && (await isAccepted({ ...draft, body }))) found = last
    }
    if (found !== undefined) accepted.push(found)
    else if (last !== undefined) refused.push(last)
  }
  return { accepted, refused }
}

/** The accepted requests, each with one bad text in turn. */
export const unstorableRequests = (
  bad: string,
  sent: ReadonlyArray<Accepted>,
  { credentials, known, now }: UnstorableOptions
): ReadonlyArray<UnstorableRequest> => {
  const values = makeValues(credentials, known, now)
  return sent.flatMap(({ operation, draft }, index) => {
    const variants = variantsOf(values, randomOf("unstorable values", index), bad)
    return [...inBodies(operation, draft, variants), ...inTargets(operation, draft, bad)].map((each, at) => ({
      ...each,
      request: {
        ...each.request,
        headers: withKey(each.request.headers, `unstorable-${bad.codePointAt(1)}-${index}-${at}`)
      }
    }))
  })
}
