import { Context, Effect, Layer, type Result } from "effect"
import type { ChannelsRequired, RouteError, TemplateError } from "../../domain/Errors.ts"
import type { CustomerConfiguration, StepOrder } from "../../domain/customer/Customer.ts"
import {
  type MessageRoute,
  type MessageStepRequest,
  resolveMessageRoute,
  resolveSandboxMessageRoute
} from "../../domain/routing/MessageRoute.ts"
import type { Route } from "../../domain/routing/Route.ts"
import type { RouteRequest } from "../../domain/routing/RouteRequest.ts"
import { resolveRoute, resolveSandboxRoute } from "../../domain/routing/RouteResolution.ts"
import { type MeasuredCode, measuredRoute } from "../../domain/routing/MeasuredOrder.ts"
import type { CustomerSetUp } from "../customer/Customers.ts"
import { RouteRecords } from "./RouteRecords.ts"

/** A request's own channels are tried as it says. */
const isMeasured = (route: Route, order: StepOrder): boolean =>
  route[0].source === "saved" &&
  (order === "measured" || route.some(({ waitsMeasured }) => waitsMeasured === true))

/** Resolves the channels of a request into the accounts that will send. */
export class Routing extends Context.Service<
  Routing,
  {
    readonly resolve: (
      customer: CustomerConfiguration,
      request: RouteRequest
    ) => Result.Result<Route, RouteError | TemplateError>
    /** The route of one code, by what was measured of its channels, where the customer wants that. */
    readonly ofCode: (
      customer: CustomerSetUp,
      route: Route,
      code: Pick<MeasuredCode, "phone" | "id">
    ) => Route
    readonly resolveMessage: (
      customer: CustomerConfiguration,
      steps: ReadonlyArray<MessageStepRequest>
    ) => Result.Result<MessageRoute, RouteError | ChannelsRequired>
  }
>()("peyk/services/routing/Routing") {
  /** Uses the customer's own accounts and saved order. */
  static readonly layer = Layer.effect(
    Routing,
    Effect.map(RouteRecords, (records) =>
      Routing.of({
        resolve: (customer, request) => resolveRoute(request, customer),
        ofCode: ({ customerId, stepOrder, guard }, route, { phone, id }) =>
          isMeasured(route, stepOrder)
            ? measuredRoute(route, records.of(customerId), {
                phone,
                id,
                order: stepOrder,
                smsPrice: guard.smsPrice
              })
            : route,
        resolveMessage: (customer, steps) => resolveMessageRoute(steps, customer)
      })
    )
  )

  /** By channel name only; codes go over telegram for those who connected an account of its gateway. */
  static readonly layerSandbox = Layer.succeed(
    Routing,
    Routing.of({
      resolve: (customer, request) => resolveSandboxRoute(request, customer),
      ofCode: (_, route) => route,
      resolveMessage: (_, steps) => resolveSandboxMessageRoute(steps)
    })
  )
}
