import { Layer } from "effect"
import { SavedViewsSql } from "../user/SavedViewsSql.ts"
import { OperatorsSql, SignInLinksSql } from "../user/ConsoleSessionsSql.ts"
import { Billing } from "../../services/customer/Limits.ts"
import { NetworkNames } from "../../services/guard/NetworkNames.ts"
import { ConsoleSignInsLive, CredentialStores, SecondFactorsLive } from "./CredentialGraph.ts"
import { ManagementWritesLive } from "./LiveStores.ts"
import { Resources, Searches } from "./Management.ts"
import { CredentialLimitsLive } from "./ManagementGraph.ts"
import { CodePreviewsLive, Reports } from "./ReadGraph.ts"
import { alertCodesLive, erasuresLive, sendsOfBothModes, type useCases } from "./UseCases.ts"

/** The services of the console's pages: the same use cases and resources as the API's. */
export const consoleLive = (graphs: typeof useCases) =>
  Layer.mergeAll(
    ConsoleSignInsLive,
    CredentialLimitsLive,
    ManagementWritesLive,
    Resources,
    CredentialStores,
    OperatorsSql,
    SignInLinksSql,
    SavedViewsSql,
    SecondFactorsLive,
    Searches,
    Reports,
    Billing.layer,
    CodePreviewsLive,
    NetworkNames.layer,
    sendsOfBothModes(graphs),
    alertCodesLive(graphs.live),
    erasuresLive(graphs)
  )
