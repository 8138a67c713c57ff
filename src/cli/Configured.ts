import { Effect } from "effect"
import { SqlError } from "effect/sql"
import type { CommandError } from "./output/CommandError.ts"
import { forPerson } from "./output/ErrorOutput.ts"
import { type Configuration, configuration } from "../layers/config/Configuration.ts"
import { isStoreUnreachable, withReason } from "../layers/postgres/StoreAvailability.ts"
import { StartupError } from "../layers/system/StartupError.ts"

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

/** If the store does not work, or not for this role, that is no bug of ours. */
const explainStore = (defect: unknown) => {
  if (!SqlError.isSqlError(defect)) return Effect.die(defect)
  if (isStoreUnreachable(defect)) {
    return new StartupError({ message: `PostgreSQL cannot work now: ${withReason(defect)}` })
  }
  return defect.reason._tag === "AuthorizationError"
    ? new StartupError({ message: `${withReason(defect)}; peyk doctor says what to grant` })
    : Effect.die(defect)
}

export const withConfiguration = <A, E extends StartupError | CommandError, R>(
  use: (configuration: Configuration) => Effect.Effect<A, E, R>
) => Effect.flatMap(readConfiguration, use).pipe(Effect.catchDefect(explainStore), Effect.mapError(forPerson))
