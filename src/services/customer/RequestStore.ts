import { Context, type Effect } from "effect"
import type { RequestBlock } from "../../domain/request/LoggedRequest.ts"

/** Keeps the request log. */
export class RequestStore extends Context.Service<
  RequestStore,
  { readonly add: (blocks: ReadonlyArray<RequestBlock>) => Effect.Effect<void> }
>()("peyk/services/customer/RequestStore") {}
