import { Layer } from "effect"
import { AccountSlots } from "../../services/account/AccountSlots.ts"
import { Billing, Limits } from "../../services/customer/Limits.ts"
import { CallLimiters, ProviderCalls } from "../../services/provider/ProviderCalls.ts"
import { Codes } from "../../services/verification/Codes.ts"
import { Guard } from "../../services/guard/Guard.ts"
import { Providers } from "../../services/provider/Providers.ts"
import { Routing } from "../../services/routing/Routing.ts"
import { Templates } from "../../services/message/Templates.ts"
import { PhoneCalls } from "../../services/verification/PhoneCalls.ts"
import { Verifications } from "../../services/verification/Verifications.ts"
import { VerificationMetrics, VerificationWrites } from "../../services/verification/VerificationWrites.ts"
import { VerificationSends } from "../../services/verification/VerificationSends.ts"
import { VerificationSteps } from "../../services/verification/VerificationSteps.ts"
import type { VerificationStore } from "../../services/verification/VerificationStore.ts"
import { AccountSlotsSql } from "../account/AccountSlotsSql.ts"
import { ProvidersByAccount } from "../provider/ConnectedAccounts.ts"
import { TemplatesSql } from "../message/TemplateRecordsSql.ts"
import { PhoneCallCountsSql } from "../verification/PhoneCallsSql.ts"
import { VerificationStoreSql } from "../verification/VerificationStoreSql.ts"

/** Everything in which one composition of the verification use cases differs from another. */
export type ReplaceablePorts =
  | Routing
  | Templates
  | Limits
  | Billing
  | Codes
  | AccountSlots
  | CallLimiters
  | Guard
  | Providers
  | PhoneCalls
  | VerificationMetrics

/**
 * The use cases of one mode's verifications over the given replaceable ports, and the store for others that read or write there.
 */
export const verificationGraph = <E, R, E2, R2>(
  store: Layer.Layer<VerificationStore, E2, R2>,
  ports: Layer.Layer<ReplaceablePorts, E, R>
) =>
  // Fresh: each composition builds its own use cases.
  Layer.fresh(Verifications.layer).pipe(
    Layer.provide(Layer.fresh(VerificationSends.layer)),
    Layer.provideMerge(Layer.fresh(VerificationSteps.layer)),
    Layer.provide([Layer.fresh(ProviderCalls.layer), Layer.fresh(VerificationWrites.layer)]),
    Layer.provide(ports),
    Layer.provideMerge(store)
  )

/** The customer's routes and texts, random codes, real providers. */
export const LivePorts = Layer.mergeAll(
  Routing.layer,
  TemplatesSql,
  Limits.layer,
  Billing.layer,
  Codes.layerRandom,
  AccountSlotsSql,
  CallLimiters.layer,
  Guard.layerConfigured,
  ProvidersByAccount,
  Layer.provide(PhoneCalls.layer, PhoneCallCountsSql),
  VerificationMetrics.layer
)

/**
 * Routes of channel names only, the constant code, a provider that sends nothing, no prices, limits or metrics. Some phones
 * force other outcomes.
 */
const SandboxPorts = Layer.mergeAll(
  Routing.layerSandbox,
  Templates.layerNone,
  Limits.layerSandbox,
  Billing.layerFree,
  Codes.layerSandbox,
  AccountSlots.layerUnlimited,
  CallLimiters.layerUnlimited,
  Guard.layerOff,
  Providers.layerSandbox,
  PhoneCalls.layerUnlimited,
  VerificationMetrics.layerNone
)

export const liveStore = VerificationStoreSql({
  mode: "live",
  timerKind: "verification"
})

const sandboxStore = VerificationStoreSql({
  mode: "test",
  timerKind: "sandbox_verification"
})

export const VerificationsLive = verificationGraph(liveStore, LivePorts)

export const VerificationsSandbox = verificationGraph(sandboxStore, SandboxPorts)
