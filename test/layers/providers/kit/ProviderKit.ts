import { describeAccount } from "./AccountTests.ts"
import type { ProviderCase } from "./ProviderCase.ts"
import { describeSecrets } from "./SecretTests.ts"
import { describeSends } from "./SendTests.ts"

/** What has to hold for every provider, whichever it is. */
export const describeProvider = (provider: ProviderCase) => {
  describeSends(provider)
  describeSecrets(provider)
  describeAccount(provider)
}
