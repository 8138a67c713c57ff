import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { RequireJson } from "../RequestGuards.ts"
import { documentedError } from "../errors/Envelope.ts"
import { EraseBody, erasePhone } from "../../services/PhoneErasures.ts"
import { handlersOf, manageGroup } from "./Endpoints.ts"
import { handler } from "./Handlers.ts"

const Erasure = Schema.Struct({
  verifications: Schema.Int,
  messages: Schema.Int,
  contacts: Schema.Int
}).annotate({ identifier: "PhoneErasure" })

export class PhonesGroup extends manageGroup(
  "phones",
  "/v1/manage/phones",
  { title: "Management: phones" },
  HttpApiEndpoint.post("erase", "/erase", {
    payload: EraseBody,
    success: Erasure,
    error: documentedError("invalid_phone")
  })
    .annotateMerge(
      OpenApi.annotations({
        summary: "Erase a phone",
        description:
          "Cancels what is under way to it, then removes the phone and its texts from finished records, and the " +
          "links by which bots reach it. A message that is being sent right now stays: repeat the request."
      })
    )
    .middleware(RequireJson)
) {}

export const PhonesHandlers = handlersOf(PhonesGroup, (handlers) =>
  handlers.handleAll({ erase: handler(erasePhone, { status: 200, body: (erased) => erased }) })
)
