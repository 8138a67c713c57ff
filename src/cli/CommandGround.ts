import { Effect, Layer } from "effect"
import { type Configuration, configuration } from "../layers/Configuration.ts"
import { Ground, ManagementLive } from "../layers/Live.ts"
import { StartupError } from "../layers/StartupError.ts"
import type { ManagementError } from "../services/Management.ts"
import { forPerson } from "./Errors.ts"

export const readConfiguration = Effect.mapError(
  configuration,
  ({ cause }) => new StartupError({ message: `the settings cannot be used: ${cause.message}` })
)

export const withConfiguration = <A, E extends StartupError | ManagementError, R>(
  use: (configuration: Configuration) => Effect.Effect<A, E, R>
) => Effect.mapError(Effect.flatMap(readConfiguration, use), forPerson)

/** Runs a set-up command on the store that the server uses, which may be running. */
export const withManagement = <A, E extends StartupError | ManagementError, R>(
  effect: Effect.Effect<A, E, R>
) =>
  withConfiguration((settings) =>
    Effect.provide(effect, Layer.provideMerge(ManagementLive, Ground(settings)))
  )
