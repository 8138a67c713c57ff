import type { Result } from "effect"
import type { CustomerConfiguration, RoutingStep } from "../people/Customer.ts"
import type { RouteError, TemplateError } from "../Errors.ts"
import { resolveStep } from "./RouteResolution.ts"
import type { RouteStep } from "./Route.ts"

/** One step of a routing order as a send would use it: the account and its wait, or the reason why there is none. */
export interface StepPreview {
  readonly step: RoutingStep
  readonly resolved: Result.Result<RouteStep, RouteError | TemplateError>
}

/** Each step by itself, unlike a send, which is refused by the first that does not resolve. */
export const previewRoute = (
  steps: ReadonlyArray<RoutingStep>,
  configuration: CustomerConfiguration
): ReadonlyArray<StepPreview> =>
  steps.map((step) => ({ step, resolved: resolveStep(step, {}, configuration) }))
