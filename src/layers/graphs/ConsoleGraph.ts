import { Layer } from "effect"
import { ConsoleSignInsLive } from "./CredentialGraph.ts"
import { CredentialLimitsLive } from "./ManagementGraph.ts"

/** What the console's pages stand on: the same use cases as the management API. */
export const ConsoleLive = Layer.mergeAll(ConsoleSignInsLive, CredentialLimitsLive)
