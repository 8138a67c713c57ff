import { Layer } from "effect"
import { SignInLinksSql } from "../user/ConsoleSessionsSql.ts"
import { Billing } from "../../services/customer/Limits.ts"
import { Messages, SandboxMessages } from "../../services/message/Messages.ts"
import { SandboxVerifications, Verifications } from "../../services/verification/Verifications.ts"
import { ConsoleSignInsLive, CredentialStores } from "./CredentialGraph.ts"
import { ManagementWritesSql } from "../postgres/ManagementWritesSql.ts"
import { Resources, Searches } from "./Management.ts"
import { CredentialLimitsLive } from "./ManagementGraph.ts"
import { Reports } from "./ReadGraph.ts"
import type { useCases } from "./UseCases.ts"

/** The services of the console's pages: the same use cases and resources as the API's. */
export const consoleLive = ({ live, sandbox, messages, sandboxMessages }: typeof useCases) =>
  Layer.mergeAll(
    ConsoleSignInsLive,
    CredentialLimitsLive,
    ManagementWritesSql,
    Resources,
    CredentialStores,
    SignInLinksSql,
    Searches,
    Reports,
    Billing.layer,
    live,
    Layer.provide(Layer.effect(SandboxVerifications, Verifications), sandbox),
    messages,
    Layer.provide(Layer.effect(SandboxMessages, Messages), sandboxMessages)
  )
