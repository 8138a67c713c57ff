import { type Json, mapObject, objectAt } from "./Json.ts"
import { componentReference, withComponents } from "./Operations.ts"

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
export const nameShapes = (document: Json): Json => {
  const found: Record<string, Json> = {}
  const mapped = mapObject(document, (schema) => {
    const shape = shapes.find(([, matches]) => matches(schema))
    if (shape === undefined) return schema
    found[shape[0]] = schema
    return componentReference("schemas", shape[0])
  })
  return withComponents(mapped, "schemas", found)
}
