import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { orEnvelope } from "../errors/Envelope.ts"
import { ManageAdmission } from "./access/ManageAuth.ts"

export const MANAGEMENT_PATH = "/v1/manage/"

/** `OPTIONS` under /v1/manage, for credentials that may read. */
export const ManageOptions = Layer.unwrap(
  Effect.map(ManageAdmission, ({ identify }) =>
    HttpRouter.add(
      "OPTIONS",
      `${MANAGEMENT_PATH}*`,
      orEnvelope(Effect.as(identify, HttpServerResponse.empty()))
    )
  )
)
