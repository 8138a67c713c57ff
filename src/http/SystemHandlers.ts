import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServiceUnavailable } from "../domain/Errors.ts"
import { Readiness } from "../services/Readiness.ts"
import { Api } from "./Api.ts"
import { orEnvelope } from "./Envelope.ts"

const ok = Effect.succeed({ status: "ok" as const })

export const SystemHandlers = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const { isReady } = yield* Readiness
    return handlers.handleAll({
      healthz: () => ok,
      readyz: () =>
        orEnvelope(Effect.flatMap(isReady, (ready) => (ready ? ok : Effect.fail(new ServiceUnavailable()))))
    })
  })
)
