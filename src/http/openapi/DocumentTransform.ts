import { errorTable } from "../errors/ErrorTable.ts"
import { describeBatchItems } from "./BatchItems.ts"
import { addExamples } from "./Examples.ts"
import { type Json, mapObjects, mapValues, objectAt } from "./Json.ts"
import { mapOperations, withComponents } from "./Operations.ts"
import { describeOptionalBodies } from "./OptionalBodies.ts"
import { describeOperations } from "./OperationTexts.ts"
import { namePages } from "./Pages.ts"
import { plainSchemas } from "./PlainSchemas.ts"
import { nameShapes } from "./Shapes.ts"
import { shareParameters } from "./SharedParameters.ts"
import { shareResponses } from "./SharedResponses.ts"
import { describeTags } from "./Tags.ts"
import { describeWebhooks } from "./Webhooks.ts"

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
  addExamples,
  nameServer,
  listErrorCodes
]

/** Makes the document that Effect derives from the API into one that people and generators read well. */
export const transformDocument = (document: Json): Json =>
  passes.reduce((current, pass) => pass(current), document)
