import { Context, type Effect } from "effect"

/**
 * Whether the process can serve: the store is reachable, accepts writes, agrees on the time, and has every migration.
 */
export class Readiness extends Context.Service<Readiness, { readonly isReady: Effect.Effect<boolean> }>()(
  "peyk/services/Readiness"
) {}
