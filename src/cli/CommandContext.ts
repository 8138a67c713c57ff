import { Effect, Layer, type Schema } from "effect"
import type { Configuration } from "../layers/config/Configuration.ts"
import { Infrastructure } from "../layers/graphs/Infrastructure.ts"
import { ManagementLive } from "../layers/graphs/Management.ts"
import type { StartupError } from "../layers/system/StartupError.ts"
import { requireEmbeddedStore, requireStore } from "../layers/postgres/StorePresence.ts"
import { withConfiguration } from "./Configured.ts"
import type { CommandError } from "./output/CommandError.ts"
import { operatorActor } from "../domain/user/Actor.ts"
import { PLATFORM } from "../domain/customer/Customer.ts"
import { decodeInput } from "../http/errors/SchemaErrors.ts"
import { type Action, perform } from "../services/Action.ts"
import { CustomerRows } from "../services/customer/CustomerRows.ts"
import type { Origin } from "../services/ManagementWrites.ts"

/** For commands that need an embedded store, or a database, which can be empty. */
export const withStoreLocation = <A, E extends StartupError | CommandError, R>(
  use: (configuration: Configuration) => Effect.Effect<A, E, R>
) => withConfiguration((settings) => Effect.andThen(requireEmbeddedStore(settings), use(settings)))

/**
 * For commands that need an existing store. Only serve, restore and demo create one, and migrate in an empty
 * `DATABASE_URL`.
 */
export const withStore = <A, E extends StartupError | CommandError, R>(
  use: (configuration: Configuration) => Effect.Effect<A, E, R>
) => withConfiguration((settings) => Effect.andThen(requireStore(settings), use(settings)))

/** Runs a set-up command on the server's store; the server can be running. */
export const withManagement = <A, E extends StartupError | CommandError, R>(effect: Effect.Effect<A, E, R>) =>
  withStore((settings) =>
    Effect.provide(effect, Layer.provideMerge(ManagementLive, Infrastructure(settings)))
  )

export const COMMAND_LINE: Origin = { ip: null, userAgent: null, requestId: null }

interface Operation<Target> {
  /** The customer in whose log the entry is; null: the platform's own. */
  readonly customer: number | null
  readonly target: Target
  /** The flags, by the names of the input's fields. */
  readonly input?: object
}

/** Does what is about one customer, or about the platform (null), where its rows are. */
export const about = <A, E, R>(customer: number | null, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(CustomerRows, ({ within }) => within(customer ?? PLATFORM, work))

/** Performs an action in the operator's name. */
export const operate = Effect.fnUntraced(function* <Input extends Schema.Decoder<unknown>, Target, A, E, R>(
  performed: Action<Input, Target, A, E, R>,
  { customer, target, input = {} }: Operation<Target>
) {
  const operation = perform(performed, {
    actor: operatorActor(customer ?? PLATFORM),
    origin: COMMAND_LINE,
    target,
    input: yield* decodeInput(performed.input, input),
    version: null
  })
  return yield* about(customer, operation)
})
