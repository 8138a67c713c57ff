/** The service as it is, but for its provider: one in this process that accepts at once. For measuring, see README. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { ProviderOutcome } from "../src/domain/ProviderOutcome.ts"
import { configuration } from "../src/layers/Configuration.ts"
import { Ground, ManagementLive, Service, useCases } from "../src/layers/Live.ts"
import { LiveMessageSeams, messageGraph } from "../src/layers/MessageGraph.ts"
import { LiveSeams, liveStore, verificationGraph } from "../src/layers/VerificationGraph.ts"
import { type CodeDelivery, Providers } from "../src/services/Providers.ts"

const accepted = Effect.succeed(ProviderOutcome.Accepted({ messageId: null }))

/** What each phone was given, for whoever wants to verify: told to the parent process when it asks. */
const codes = new Map<string, string>()
process.on("message", () => {
  process.send?.([...codes])
  codes.clear()
})

const acceptCode = ({ phone, code }: CodeDelivery) => {
  codes.set(phone, Redacted.value(code))
  return accepted
}

const AcceptingProviders = Layer.succeed(
  Providers,
  Providers.of({ sendCode: acceptCode, sendText: () => accepted })
)

const live = verificationGraph(liveStore, Layer.merge(LiveSeams, AcceptingProviders))
const messages = messageGraph(Layer.merge(LiveMessageSeams, AcceptingProviders))

NodeRuntime.runMain(
  Effect.flatMap(configuration, (settings) =>
    Layer.launch(
      Service(settings, { ...useCases, live, messages }).pipe(
        Layer.provide(ManagementLive),
        Layer.provide(Ground(settings))
      )
    )
  )
)
