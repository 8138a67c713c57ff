import { Effect, Layer } from "effect"
import { type Configuration, configuration } from "../layers/config/Configuration.ts"
import { Infrastructure } from "../layers/graphs/Infrastructure.ts"
import { ManagementLive } from "../layers/graphs/Live.ts"
import { StartupError } from "../layers/process/StartupError.ts"
import { requireStore } from "../layers/postgres/Store.ts"
import type { ManagementError } from "../services/resources/Management.ts"
import { forPerson } from "./output/Errors.ts"

/** Another issuer's tokens are useless without its keys. */
const isConsistent = ({ jwtIssuer, jwtJwksUrl }: Configuration): boolean =>
  (jwtIssuer === null) === (jwtJwksUrl === null)

export const readConfiguration = configuration.pipe(
  Effect.mapError(
    ({ cause }) => new StartupError({ message: `the settings cannot be used: ${cause.message}` })
  ),
  Effect.filterOrFail(
    isConsistent,
    () =>
      new StartupError({ message: "PEYK_JWT_ISSUER and PEYK_JWT_JWKS_URL belong together: set both or none" })
  )
)

export const withConfiguration = <A, E extends StartupError | ManagementError, R>(
  use: (configuration: Configuration) => Effect.Effect<A, E, R>
) => Effect.mapError(Effect.flatMap(readConfiguration, use), forPerson)

/** For commands that need an existing store; only serve and demo create one. */
export const withStore = <A, E extends StartupError | ManagementError, R>(
  use: (configuration: Configuration) => Effect.Effect<A, E, R>
) => withConfiguration((settings) => Effect.andThen(requireStore(settings), use(settings)))

/** Runs a set-up command on the server's store; the server can be running. */
export const withManagement = <A, E extends StartupError | ManagementError, R>(
  effect: Effect.Effect<A, E, R>
) =>
  withStore((settings) =>
    Effect.provide(effect, Layer.provideMerge(ManagementLive, Infrastructure(settings)))
  )
