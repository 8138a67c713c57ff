/** The service as it is, but for its provider: one in this process that accepts at once. For measuring, see README. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { ProviderOutcome } from "../src/domain/ProviderOutcome.ts"
import { configuration } from "../src/layers/Configuration.ts"
import { Ground, ManagementLive, Service, verifications } from "../src/layers/Live.ts"
import { LiveSeams, liveStore, verificationGraph } from "../src/layers/VerificationGraph.ts"
import { Providers } from "../src/services/Providers.ts"

const AcceptingProviders = Layer.succeed(
  Providers,
  Providers.of({ sendCode: () => Effect.succeed(ProviderOutcome.Accepted({ messageId: null })) })
)

const live = verificationGraph(liveStore, Layer.merge(LiveSeams, AcceptingProviders))

NodeRuntime.runMain(
  Effect.flatMap(configuration, (settings) =>
    Layer.launch(
      Service(settings, { ...verifications, live }).pipe(
        Layer.provide(ManagementLive),
        Layer.provide(Ground(settings))
      )
    )
  )
)
