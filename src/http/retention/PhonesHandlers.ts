import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { erasePhone, type PhoneErasures } from "../../services/retention/PhoneErasures.ts"

export const PhonesHandlers = HttpApiBuilder.group(
  Api,
  "phones",
  Effect.fnUntraced(function* (handlers) {
    const handler = yield* makeActionHandler<PhoneErasures>()
    return handlers.handleAll({ erase: handler(erasePhone, { status: 200, body: (erased) => erased }) })
  })
)
