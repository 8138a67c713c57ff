import {
  componentReference,
  isJson,
  type Json,
  mapOperations,
  objectAt,
  type Operation,
  withComponents
} from "./Operations.ts"

const dateTime = { type: "string", format: "date-time" }
const resourceId = { type: "integer", format: "int64", minimum: 1, maximum: 2_147_483_647 }

const query = (name: string, description: string, schema: Json): Json => ({
  name,
  in: "query",
  required: false,
  description,
  schema
})

/** Parameters with one meaning wherever they appear, by the name of their component. */
const shared = {
  Limit: query("limit", "How many to return.", { type: "integer", minimum: 1, maximum: 100, default: 20 }),
  Cursor: query("cursor", "`next_cursor` of the previous page. Without it, the first page.", {
    type: "string",
    maxLength: 500
  }),
  From: query(
    "from",
    "The start, included: ISO 8601. Without an offset it is Tehran time. Write + as %2B.",
    dateTime
  ),
  Until: query("to", "The end, not included: ISO 8601. Without an offset it is Tehran time.", dateTime),
  Since: query("since", "From this time on: ISO 8601. Without an offset it is Tehran time.", dateTime),
  CreatedAfter: query(
    "created_after",
    "Created after this time, not included: ISO 8601. Without an offset it is Tehran time. Write + as %2B.",
    dateTime
  ),
  CreatedBefore: query("created_before", "Created before this time, not included: ISO 8601.", dateTime),
  Id: {
    name: "id",
    in: "path",
    required: true,
    description: "The resource's id.",
    schema: resourceId
  },
  VerificationId: {
    name: "verification_id",
    in: "path",
    required: true,
    description: "The id that send returned.",
    schema: { type: "string", format: "uuid" }
  },
  MessageId: {
    name: "message_id",
    in: "path",
    required: true,
    description: "The id that send returned.",
    schema: { type: "string", format: "uuid" }
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes a repeated request safe: it returns the first response again. Kept for 24 hours. Use a new key for each new request.",
    schema: { type: "string", minLength: 1, maxLength: 255 }
  },
  RequiredIdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: true,
    description:
      "Required. A repeated request with the same key returns the first response again. Kept for 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: 255 }
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description: "The ETag that you read. If the resource has changed since, the response is 412.",
    schema: { type: "string" }
  }
} as const

type SharedName = keyof typeof shared

const idempotencyKeyOf = (parameter: Json): SharedName =>
  parameter["required"] === true ? "RequiredIdempotencyKey" : "IdempotencyKey"

const sharedNameOf = (parameter: Json, isUuid: boolean): SharedName | null => {
  const schema = objectAt(parameter, "schema")
  switch (`${String(parameter["in"])} ${String(parameter["name"]).toLowerCase()}`) {
    case "query limit":
      return "Limit"
    case "query cursor":
      return "Cursor"
    case "query from":
      return "From"
    case "query to":
      return "maxLength" in schema ? null : "Until"
    case "query since":
      return "Since"
    case "query created_after":
      return "CreatedAfter"
    case "query created_before":
      return "CreatedBefore"
    case "path id":
      return isUuid ? null : "Id"
    case "path verification_id":
      return "VerificationId"
    case "path message_id":
      return "MessageId"
    case "header idempotency-key":
      return idempotencyKeyOf(parameter)
    default:
      return null
  }
}

const reference = (name: SharedName): Json => componentReference("parameters", name)

/** Verifications and messages have UUIDs, other resources have numbers. */
const hasUuids = ({ path }: Operation): boolean => /\/manage\/(?:verifications|messages)\/\{id\}/.test(path)

const describeUuid = (parameter: Json): Json =>
  parameter["name"] === "id" ? { ...parameter, schema: { type: "string", format: "uuid" } } : parameter

/** A parameter's description is its own, not its schema's. */
const liftDescription = (parameter: Json): Json => {
  const { description, examples, ...schema } = objectAt(parameter, "schema")
  return {
    ...parameter,
    ...(description === undefined ? {} : { description }),
    ...(Array.isArray(examples) ? { example: examples[0] } : {}),
    schema
  }
}

/** Parameters that middleware reads, so they are not among the declared ones. */
const undeclared = ({ body }: Operation, declared: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const responses = objectAt(body, "responses")
  const has = (header: string) => declared.some(({ name }) => String(name).toLowerCase() === header)
  const takesKey = JSON.stringify(responses["400"] ?? "").includes("IdempotencyKeyTooLong")
  return [
    ...(takesKey && !has("idempotency-key") ? [reference("IdempotencyKey")] : []),
    ...("412" in responses ? [reference("IfMatch")] : [])
  ]
}

const parametersOf = (operation: Operation): ReadonlyArray<Json> => {
  const given = operation.body["parameters"]
  const declared = Array.isArray(given) ? given.filter(isJson) : []
  const isUuid = hasUuids(operation)
  return [
    ...declared.map((parameter) => {
      const name = sharedNameOf(parameter, isUuid)
      return name === null ? liftDescription(isUuid ? describeUuid(parameter) : parameter) : reference(name)
    }),
    ...undeclared(operation, declared)
  ]
}

/** Moves the parameters that many operations have into the components. */
export const shareParameters = (document: Json): Json =>
  withComponents(
    mapOperations(document, (operation) => ({ ...operation.body, parameters: parametersOf(operation) })),
    "parameters",
    shared
  )
