import { Context, Layer, type Result } from "effect"
import type { CustomerConfiguration } from "../../domain/people/Customer.ts"
import type { ChannelsRequired, RouteError, TemplateError } from "../../domain/Errors.ts"
import {
  type MessageRoute,
  type MessageStepRequest,
  resolveMessageRoute,
  resolveSandboxMessageRoute
} from "../../domain/routing/MessageRoute.ts"
import {
  resolveRoute,
  resolveSandboxRoute,
  type Route,
  type RouteRequest
} from "../../domain/routing/Route.ts"

/** Resolves the channels of a request into the accounts that will send. */
export class Routing extends Context.Service<
  Routing,
  {
    readonly resolve: (
      customer: CustomerConfiguration,
      request: RouteRequest
    ) => Result.Result<Route, RouteError | TemplateError>
    readonly resolveMessage: (
      customer: CustomerConfiguration,
      steps: ReadonlyArray<MessageStepRequest>
    ) => Result.Result<MessageRoute, RouteError | ChannelsRequired>
  }
>()("peyk/services/customer/Routing") {
  /** Uses the customer's own accounts and saved order. */
  static readonly layer = Layer.succeed(
    Routing,
    Routing.of({
      resolve: (customer, request) => resolveRoute(request, customer),
      resolveMessage: (customer, steps) => resolveMessageRoute(steps, customer)
    })
  )

  /** By channel name only. */
  static readonly layerSandbox = Layer.succeed(
    Routing,
    Routing.of({
      resolve: (_, request) => resolveSandboxRoute(request),
      resolveMessage: (_, steps) => resolveSandboxMessageRoute(steps)
    })
  )
}
