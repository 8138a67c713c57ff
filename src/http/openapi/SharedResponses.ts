import {
  componentReference,
  isJson,
  type Json,
  mapOperations,
  mapValues,
  objectAt,
  type Operation,
  withComponents
} from "./Operations.ts"

const MAX_NAMED_ERRORS = 3
const SCHEMAS = "#/components/schemas/"

const schemaOf = (response: Json): Json =>
  objectAt(objectAt(objectAt(response, "content"), "application/json"), "schema")

const referenceName = (schema: unknown): string | null => {
  const reference = isJson(schema) ? schema["$ref"] : undefined
  return typeof reference === "string" ? reference.replace(SCHEMAS, "") : null
}

/** The schemas that a response is one of. */
const namesOf = (response: Json): ReadonlyArray<string | null> => {
  const schema = schemaOf(response)
  const alternatives = schema["anyOf"]
  return Array.isArray(alternatives) ? alternatives.map(referenceName) : [referenceName(schema)]
}

/** The component of a response with a few errors: `NotFound`, `ConflictOrIdempotencyKeyConflict`. */
const componentName = (response: Json): string | null => {
  const names = namesOf(response)
  if (names.length > MAX_NAMED_ERRORS || !names.every((name) => name?.endsWith("Error") === true)) return null
  return names.map((name) => name?.replace(/Error$/, "")).join("Or")
}

const isKeyed = ({ body, path }: Operation): boolean =>
  path.startsWith("/v1/") && Array.isArray(body["security"]) && body["security"].length > 0

const header = (name: string): Json => ({ [name]: componentReference("headers", name) })

/** Every response to an admitted credential has them. */
const rateLimits: Json = { ...header("RateLimit"), ...header("RateLimit-Policy") }

/** The guard says when its refusal ends. */
const isGuarded = ({ body }: Operation, status: string): boolean =>
  status === "403" && JSON.stringify(body["responses"]).includes("SuspectedFraud")

const headersOf = (operation: Operation, status: string): Json => ({
  ...header("X-Request-Id"),
  ...(status === "429" || status === "503" || isGuarded(operation, status) ? header("Retry-After") : {}),
  ...(isKeyed(operation) && status !== "401" ? rateLimits : {})
})

const sharedHeaders: Json = {
  "X-Request-Id": {
    description:
      "Identifies the request, also in logs. It is the request's own X-Request-Id if that matches ^[A-Za-z0-9._-]{1,128}$.",
    schema: { type: "string" }
  },
  RateLimit: {
    description:
      "What is left of the credential's requests of this minute, and when it starts again (IETF draft).",
    schema: { type: "string", examples: ['"key";r=299;t=60'] }
  },
  "RateLimit-Policy": {
    description: "The credential's limit (IETF draft).",
    schema: { type: "string", examples: ['"key";q=300;w=60'] }
  },
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: { type: "integer", minimum: 0 }
  },
  "Idempotency-Replayed": {
    description:
      "Present if this is the stored response of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" }
  },
  ETag: {
    description: "The resource's version, for If-Match.",
    schema: { type: "string", examples: ['"3"'] }
  }
}

const withoutName = (description: unknown, status: string): string => {
  if (status === "201") return "Created"
  if (status === "202") return "Accepted"
  if (status === "204") return "Done; there is no body."
  return typeof description === "string" && description.includes(" ") && description !== "<No Content>"
    ? description
    : "OK"
}

const hasStatus = ({ body }: Operation, status: string): boolean => status in objectAt(body, "responses")

/** A success, with the headers that the operation can send. */
const describeSuccess = (
  operation: Operation,
  response: Json,
  status: string,
  isVersioned: boolean
): Json => {
  const headers = {
    ...(isKeyed(operation) ? rateLimits : {}),
    ...(hasStatus(operation, "400") && operation.method === "post" ? header("Idempotency-Replayed") : {}),
    ...(isVersioned ? header("ETag") : {})
  }
  const description = withoutName(response["description"], status)
  return { ...response, description, ...(Object.keys(headers).length === 0 ? {} : { headers }) }
}

/** Moves the responses with errors into the components, and names each header once. */
export const shareResponses = (document: Json): Json => {
  const shared: Record<string, Json> = {}
  const schemas = objectAt(objectAt(document, "components"), "schemas")
  const isVersioned = (response: Json): boolean => {
    const name = referenceName(schemaOf(response))
    return name !== null && "version" in objectAt(objectAt(schemas, name), "properties")
  }
  const shareOne = (operation: Operation, response: Json, status: string): Json => {
    if (status.startsWith("2")) return describeSuccess(operation, response, status, isVersioned(response))
    const name = isKeyed(operation) ? componentName(response) : null
    const described = {
      ...response,
      description: namesOf(response).join(", "),
      headers: headersOf(operation, status)
    }
    if (name === null) return described
    shared[name] = described
    return componentReference("responses", name)
  }
  const mapped = mapOperations(document, (operation) => ({
    ...operation.body,
    responses: mapValues(objectAt(operation.body, "responses"), (response, status) =>
      isJson(response) ? shareOne(operation, response, status) : response
    )
  }))
  return withComponents(withComponents(mapped, "responses", shared), "headers", sharedHeaders)
}
