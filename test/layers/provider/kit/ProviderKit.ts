import { describeAccount } from "./AccountTests.ts"
import type { ProviderCase } from "./ProviderCase.ts"
import { describeSecrets } from "./SecretTests.ts"
import { describeSends } from "./SendTests.ts"

/** The rules for every provider. */
export const describeProvider = (provider: ProviderCase) => {
  describeSends(provider)
  describeSecrets(provider)
  describeAccount(provider)
}
