import { Effect, Layer } from "effect"
import { Infrastructure } from "../layers/graphs/Infrastructure.ts"
import { ManagementLive } from "../layers/graphs/Management.ts"
import { SharedServices } from "../layers/graphs/SharedServices.ts"
import { erasuresLive, useCases } from "../layers/graphs/UseCases.ts"
import type { StartupError } from "../layers/system/StartupError.ts"
import { withStore } from "./CommandContext.ts"
import type { CommandError } from "./output/CommandError.ts"

/**
 * Runs a command that acts on codes and messages on the server's store. Most commands do without the use cases, which take
 * as long to load as everything else.
 */
export const withUseCases = <A, E extends StartupError | CommandError, R>(effect: Effect.Effect<A, E, R>) =>
  withStore((settings) =>
    Effect.provide(
      effect,
      Layer.mergeAll(useCases.live, useCases.messages, erasuresLive(useCases)).pipe(
        Layer.provide(SharedServices),
        Layer.provideMerge(Layer.provideMerge(ManagementLive, Infrastructure(settings)))
      )
    )
  )
