import { errorTable } from "../errors/ErrorTable.ts"
import { addExamples } from "./Examples.ts"
import { describeOperations } from "./OperationTexts.ts"
import {
  componentReference,
  isJson,
  type Json,
  mapObject,
  mapObjects,
  mapOperations,
  mapValues,
  objectAt,
  withComponents
} from "./Operations.ts"
import { shareParameters } from "./SharedParameters.ts"
import { shareResponses } from "./SharedResponses.ts"
import { describeAllFields } from "./FieldTexts.ts"
import { describeWebhooks } from "./DocumentedWebhooks.ts"

/** The server takes any item, and refuses each of a wrong shape by itself. Clients are to send messages. */
const describeBatchItems = (document: Json): Json => {
  const components = objectAt(document, "components")
  const schemas = objectAt(components, "schemas")
  const batch = objectAt(schemas, "MessageBatchRequest")
  const properties = objectAt(batch, "properties")
  const messages = {
    ...objectAt(properties, "messages"),
    items: { $ref: "#/components/schemas/MessageSendRequest" }
  }
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...schemas, MessageBatchRequest: { ...batch, properties: { ...properties, messages } } }
    }
  }
}

const isNull = (schema: unknown): boolean => isJson(schema) && schema["type"] === "null"

/** The schema of a body that an operation can do without; undefined if it needs one. */
const givenSchema = (body: Json): Json | undefined => {
  const { anyOf } = objectAt(objectAt(objectAt(body, "content"), "application/json"), "schema")
  if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return undefined
  return anyOf.filter(isJson).find((each) => !isNull(each))
}

/** A body that may be missing is optional, not null. */
const describeOptionalBodies = (document: Json): Json =>
  mapOperations(document, ({ body }) => {
    const schema = givenSchema(objectAt(body, "requestBody"))
    return schema === undefined
      ? body
      : { ...body, requestBody: { required: false, content: { "application/json": { schema } } } }
  })

const SCHEMAS = "#/components/schemas/"

/** The items of a list's `data`, if a schema is a list. */
const itemOf = (schema: Json): string | null => {
  const properties = objectAt(schema, "properties")
  if (!("data" in properties && "next_cursor" in properties)) return null
  const reference = objectAt(objectAt(properties, "data"), "items")["$ref"]
  return typeof reference === "string" ? reference.replace(SCHEMAS, "") : null
}

/** Names the schema of each list by what it lists: `WebhookList`. */
const namePages = (document: Json): Json => {
  const lists: Record<string, Json> = {}
  const mapped = mapOperations(document, ({ body }) => {
    const responses = objectAt(body, "responses")
    const success = objectAt(responses, "200")
    const content = objectAt(success, "content")
    const schema = objectAt(objectAt(content, "application/json"), "schema")
    const item = itemOf(schema)
    if (item === null) return body
    const name = `${item}List`
    lists[name] = schema
    const json = { "application/json": { schema: componentReference("schemas", name) } }
    return { ...body, responses: { ...responses, 200: { ...success, content: { ...content, ...json } } } }
  })
  return withComponents(mapped, "schemas", lists)
}

const withoutBounds = ({ minimum, maximum, exclusiveMinimum, ...rest }: Json): Json => ({
  ...rest,
  ...(minimum === Number.MIN_SAFE_INTEGER || minimum === undefined ? {} : { minimum }),
  ...(exclusiveMinimum === 0 ? { minimum: 1 } : {}),
  ...(maximum === Number.MAX_SAFE_INTEGER || maximum === undefined ? {} : { maximum })
})

/** The bounds of JavaScript's numbers are not the API's. */
const tidyInteger = (schema: Json): Json =>
  schema["type"] === "integer" ? { ...withoutBounds(schema), format: "int64" } : schema

/** `{anyOf: […], allOf: [{description}]}`: the description belongs to the schema itself. */
const inlineDescription = (schema: Json): Json => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || allOf.length !== 1) return schema
  const [only]: ReadonlyArray<unknown> = allOf
  const isDescription =
    isJson(only) && Object.keys(only).every((key) => key === "description" || key === "examples")
  return isDescription ? { ...rest, ...only } : schema
}

const typeOf = (schema: unknown): unknown =>
  isJson(schema) && Object.keys(schema).length === 1 ? schema["type"] : undefined

/** `anyOf` of plain types is a list of types, which generators read as a nullable type. */
const joinTypes = (schema: Json): Json => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || typeOf(anyOf[1]) !== "null") return schema
  const [first]: ReadonlyArray<unknown> = anyOf
  if (!isJson(first) || typeof first["type"] !== "string" || "enum" in first) return schema
  return { ...first, type: [first["type"], "null"], ...rest }
}

const isInfinite = (schema: unknown): boolean =>
  isJson(schema) && Array.isArray(schema["enum"]) && schema["enum"].includes("Infinity")

/** No response has the numbers that JSON cannot write. */
const withoutInfinity = (schema: Json): Json => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || !anyOf.some(isInfinite)) return schema
  const finite = anyOf.filter(isJson).filter((each) => !isInfinite(each))
  return finite.length === 1 ? { ...finite[0], ...rest } : { ...rest, anyOf: finite }
}

/** Schemas as generators read them best; they accept the same values. */
const plainSchemas = (document: Json): Json =>
  mapObject(document, (schema) => joinTypes(inlineDescription(withoutInfinity(tidyInteger(schema)))))

const isObjectWith =
  (...names: ReadonlyArray<string>) =>
  (schema: Json): boolean => {
    const properties = Object.keys(objectAt(schema, "properties"))
    return (
      schema["type"] === "object" &&
      properties.length === names.length &&
      names.every((name) => properties.includes(name))
    )
  }

const isEnumWith =
  (...members: ReadonlyArray<string>) =>
  (schema: Json): boolean => {
    const values: ReadonlyArray<unknown> = Array.isArray(schema["enum"]) ? schema["enum"] : []
    return Object.keys(schema).length === 2 && members.every((member) => values.includes(member))
  }

/** Shapes that appear in many schemas, and how to recognize them. */
const shapes: ReadonlyArray<readonly [name: string, matches: (schema: Json) => boolean]> = [
  ["ChannelDescriptor", isObjectWith("type", "provider", "credential_id", "label")],
  ["Channel", isEnumWith("eitaa", "sms", "telegram")],
  ["VerificationStatus", isEnumWith("pending", "locked", "expired")],
  ["MessageStatus", isEnumWith("sending", "partial_failed", "canceled")],
  ["AttemptErrorCode", isEnumWith("provider_outcome_unknown", "account_unavailable")],
  ["WebhookEvents", isEnumWith("verification.queued", "message.queued", "*")]
]

/** Moves the shapes that schemas share into the components. */
const nameShapes = (document: Json): Json => {
  const found: Record<string, Json> = {}
  const mapped = mapObject(document, (schema) => {
    const shape = shapes.find(([, matches]) => matches(schema))
    if (shape === undefined) return schema
    found[shape[0]] = schema
    return componentReference("schemas", shape[0])
  })
  return withComponents(mapped, "schemas", found)
}

/** The purpose of the operations of each tag. */
const tagDescriptions: Readonly<Record<string, string>> = {
  Verification: "Send one-time codes and verify them. With a live key.",
  Sandbox: "The same with a test key: nothing is sent or charged, and the code is always 123456.",
  "Sandbox: messaging": "Messages with a test key: nothing is sent or charged.",
  Messaging: "Send a text to one phone over one or several channels, now or later. With a live key.",
  Phones: "What your own records say of a phone. With a key of either mode.",
  Account: "What a service key may use: limits, prices, quota, wallet.",
  "Management: service keys": "The keys of your backends.",
  "Management: sending accounts":
    "The messenger and SMS accounts that you connected, and the contacts of their bots.",
  "Management: routing": "The channels that codes use if a request names none.",
  "Management: templates": "Texts with placeholders, for messages and codes.",
  "Management: verifications": "Search codes that were sent, with each provider's response.",
  "Management: messages": "Search messages that were sent, with each provider's response.",
  "Management: phones": "Erase a phone from your records.",
  "Management: usage": "Counts and costs by day and channel.",
  "Management: insights":
    "How codes were verified, by channel, account, operator, hour and template, next to the time before.",
  "Management: account": "Your plan, limits, prices, quota and wallet.",
  "Management: wallet": "The balance, and every movement of money.",
  "Management: statements": "What a month began with, what was paid in and spent, and what it ended with.",
  "Management: audit log": "Who changed what, and from where.",
  "Management: guard": "Protection against pumping, bombing and guessing.",
  "Management: alerts": "Who hears of trouble by e-mail or message, of what, and when.",
  "Management: webhooks": "Endpoints that receive events, and the deliveries to them.",
  "Management: personal access tokens": "Credentials of programs that manage your account.",
  "Management: users": "People who sign in to manage your account. For owners.",
  "Management: who am I": "The customer and the credential of this request.",
  "Sign-in": "Sessions of people. Programs use a personal access token.",
  "Well-known": "Public keys.",
  System: "Health and metrics of the service.",
  Events: "The events that Peyk posts to your webhooks."
}

/** Describes each tag, and adds the one of the webhooks. */
const describeTags = (document: Json): Json => {
  const { tags } = document
  const given: ReadonlyArray<Json> = Array.isArray(tags) ? tags : []
  const described = [...given, { name: "Events" }].map((tag) => ({
    ...tag,
    description: tagDescriptions[String(tag["name"])] ?? tag["description"]
  }))
  return { ...document, tags: described }
}

/** Every code of the envelope with its status, including those that the whole API shares. */
const listErrorCodes = (document: Json): Json => ({
  ...document,
  "x-error-codes": mapValues(errorTable, (entry) => entry)
})

const nameServer = (document: Json): Json => ({
  ...document,
  servers: [
    {
      url: "{base_url}",
      description: "Your installation",
      variables: { base_url: { default: "http://127.0.0.1:8080" } }
    }
  ]
})

const securitySchemes: Json = {
  serviceKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "A service key: `svc_live_…`, or `svc_test_…` for the sandbox."
  },
  personalToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "svc_pat_…",
    description: "A personal access token. `Authorization: apikey svc_pat_…` works too."
  },
  session: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token of a sign-in."
  }
}

/** Fields may be added to responses at any time; only the management API refuses unknown fields in requests. */
const openObjects = (document: Json): Json => {
  const strict = new Set(strictBodies(document))
  const components = objectAt(document, "components")
  const schemas = mapValues(objectAt(components, "schemas"), (schema, name) =>
    strict.has(name) ? schema : mapObjects(schema, openObject)
  )
  const paths = mapObjects(document["paths"], openObject)
  return { ...document, paths, components: { ...components, schemas } }
}

const openObject = ({ additionalProperties, ...rest }: Json): Json =>
  additionalProperties === false || additionalProperties === undefined
    ? rest
    : { ...rest, additionalProperties }

/** The schemas of request bodies of the management API. */
const strictBodies = (document: Json): ReadonlyArray<string> => {
  const names: Array<string> = []
  mapOperations(document, ({ path, body }) => {
    const content = objectAt(objectAt(body, "requestBody"), "content")
    const reference = objectAt(objectAt(content, "application/json"), "schema")["$ref"]
    if (path.startsWith("/v1/manage/") && typeof reference === "string")
      names.push(reference.replace("#/components/schemas/", ""))
    return body
  })
  return names
}

const passes: ReadonlyArray<(document: Json) => Json> = [
  plainSchemas,
  describeOptionalBodies,
  openObjects,
  describeBatchItems,
  nameShapes,
  namePages,
  shareParameters,
  shareResponses,
  (document) => withComponents(document, "securitySchemes", securitySchemes),
  describeOperations,
  describeTags,
  describeWebhooks,
  describeAllFields,
  addExamples,
  nameServer,
  listErrorCodes
]

/** Makes the document that Effect derives from the API into one that people and generators read well. */
export const transformDocument = (document: Json): Json =>
  passes.reduce((current, pass) => pass(current), document)
