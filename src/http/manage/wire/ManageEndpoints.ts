import type { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { documentedError } from "../../errors/Envelope.ts"
import { PathId } from "./ManageWire.ts"
import { undeclaredBodyErrors } from "./UndeclaredInput.ts"

export const id = { id: PathId }
export const invalid = documentedError("validation_error")
export const notFound = documentedError("not_found")
export const changed = documentedError("precondition_failed")
export const conflict = documentedError("conflict")
export const unavailable = documentedError("channel_unavailable")
export const keyErrors = [
  documentedError("idempotency_key_conflict"),
  documentedError("idempotency_key_too_long")
]

export const summary = (text: string) => OpenApi.annotations({ summary: text })

/** Reads one resource by its id: a `PathId` or a `PathUuid`. */
export const reading = <Id extends Schema.Codec<string | number, string>, Resource extends Schema.Top>(
  pathId: Id,
  resource: Resource,
  text: string
) =>
  HttpApiEndpoint.get("read", "/:id", {
    params: { id: pathId },
    success: resource,
    error: notFound
  }).annotateMerge(summary(text))

/** Deletes a resource that nothing uses. */
export const removal = (text: string, description: string) =>
  HttpApiEndpoint.delete("remove", "/:id", {
    params: id,
    success: HttpApiSchema.Empty(204),
    error: [...undeclaredBodyErrors, notFound, changed, conflict]
  }).annotateMerge(OpenApi.annotations({ summary: text, description }))
