/** The service with a provider in this process that accepts, at once or after a time. For measuring, see README. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Redacted } from "effect"
import { ProviderOutcome } from "../src/domain/ProviderOutcome.ts"
import { configuration } from "../src/layers/config/Configuration.ts"
import { Infrastructure } from "../src/layers/graphs/Infrastructure.ts"
import { Service } from "../src/layers/graphs/Live.ts"
import { ManagementLive } from "../src/layers/graphs/Management.ts"
import { useCases } from "../src/layers/graphs/UseCases.ts"
import { liveMessageStore, LiveMessagePorts, messageGraph } from "../src/layers/graphs/MessageGraph.ts"
import { LivePorts, liveStore, verificationGraph } from "../src/layers/graphs/VerificationGraph.ts"
import { type CodeDelivery, Providers } from "../src/services/provider/Providers.ts"
import { delaysOf, providerMillis } from "./ProviderDelay.ts"
import type { Target } from "./Requests.ts"

const acceptedAtOnce = Effect.succeed(ProviderOutcome.Accepted({ messageId: null }))
const millis = providerMillis()
const nextDelay = delaysOf(millis)
const accepted =
  millis === 0 ? acceptedAtOnce : Effect.suspend(() => Effect.delay(acceptedAtOnce, nextDelay()))

/** The sent codes, for the verify measure: reported to the parent process on request. */
const sent: Array<Target> = []
process.on("message", () => process.send?.(sent.splice(0)))
process.on("disconnect", () => process.exit())

const UUID_LENGTH = 36

const acceptCode = ({ attemptId, phone, code }: CodeDelivery) => {
  sent.push({ id: attemptId.slice(0, UUID_LENGTH), phone, code: Redacted.value(code) })
  return accepted
}

const AcceptingProviders = Layer.succeed(
  Providers,
  Providers.of({ sendCode: acceptCode, sendText: () => accepted })
)

const live = verificationGraph(liveStore, Layer.merge(LivePorts, AcceptingProviders))
const messages = messageGraph(liveMessageStore, Layer.merge(LiveMessagePorts, AcceptingProviders))

NodeRuntime.runMain(
  Effect.flatMap(configuration, (settings) =>
    Layer.launch(
      Service(settings, { ...useCases, live, messages }).pipe(
        Layer.provide(ManagementLive),
        Layer.provide(Infrastructure(settings))
      )
    )
  )
)
