import { type Json, objectAt } from "./Json.ts"

/** The server takes any item, and refuses each of a wrong shape by itself. Clients are to send messages. */
export const describeBatchItems = (document: Json): Json => {
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
