import { Context, type Effect } from "effect"

/** Whether the process can serve: the store is reachable, takes writes, agrees on the time, and has had every migration. */
export class Readiness extends Context.Service<Readiness, { readonly isReady: Effect.Effect<boolean> }>()(
  "peyk/services/Readiness"
) {}
