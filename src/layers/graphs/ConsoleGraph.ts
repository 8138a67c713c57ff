import { Layer } from "effect"
import { SavedViewsSql } from "../user/SavedViewsSql.ts"
import { SignInLinksSql } from "../user/ConsoleSessionsSql.ts"
import { Billing } from "../../services/customer/Limits.ts"
import { NetworkNames } from "../../services/guard/NetworkNames.ts"
import { ConsoleSignInsLive, CredentialStores, SecondFactorsLive } from "./CredentialGraph.ts"
import { ManagementWritesLive } from "./CellStores.ts"
import { Resources, Searches } from "./Management.ts"
import { CredentialLimitsLive } from "./ManagementGraph.ts"
import { Reports } from "./ReadGraph.ts"
import { erasuresLive, sendsOfBothModes, type useCases } from "./UseCases.ts"

/** The services of the console's pages: the same use cases and resources as the API's. */
export const consoleLive = (graphs: typeof useCases) =>
  Layer.mergeAll(
    ConsoleSignInsLive,
    CredentialLimitsLive,
    ManagementWritesLive,
    Resources,
    CredentialStores,
    SignInLinksSql,
    SavedViewsSql,
    SecondFactorsLive,
    Searches,
    Reports,
    Billing.layer,
    NetworkNames.layer,
    sendsOfBothModes(graphs),
    erasuresLive(graphs)
  )
