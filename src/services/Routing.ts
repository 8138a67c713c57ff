import { Context, Effect, Layer } from "effect"
import type { ChannelsRequired, RouteError } from "../domain/Errors.ts"
import { type MessageRoute, type MessageStepRequest, resolveMessageRoute } from "../domain/MessageRoute.ts"
import { resolveRoute, resolveSandboxRoute, type Route, type RouteRequest } from "../domain/Route.ts"
import { Customers } from "./Customers.ts"

/** Turns what a request asks for into the accounts that will send. */
export class Routing extends Context.Service<
  Routing,
  {
    readonly resolve: (customerId: number, request: RouteRequest) => Effect.Effect<Route, RouteError>
    readonly resolveMessage: (
      customerId: number,
      steps: ReadonlyArray<MessageStepRequest>
    ) => Effect.Effect<MessageRoute, RouteError | ChannelsRequired>
  }
>()("peyk/services/Routing") {
  /** Over the customer's own accounts and saved order. */
  static readonly layer = Layer.effect(
    Routing,
    Effect.gen(function* () {
      const customers = yield* Customers
      return Routing.of({
        resolve: (customerId, request) =>
          Effect.flatMap(customers.configuration(customerId), (configuration) =>
            Effect.fromResult(resolveRoute(request, configuration))
          ),
        resolveMessage: (customerId, steps) =>
          Effect.flatMap(customers.configuration(customerId), (configuration) =>
            Effect.fromResult(resolveMessageRoute(steps, configuration))
          )
      })
    })
  )

  /** By channel name only. */
  static readonly layerSandbox = Layer.succeed(
    Routing,
    Routing.of({
      resolve: (_, request) => Effect.fromResult(resolveSandboxRoute(request)),
      resolveMessage: () => Effect.die("there are no sandbox messages")
    })
  )
}
