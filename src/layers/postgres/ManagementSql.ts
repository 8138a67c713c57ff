import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { BotAddresses } from "../../services/account/BotAddresses.ts"
import { ContactLinks } from "../../services/account/ContactLinks.ts"
import { Management } from "../../services/resources/Management.ts"
import { ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"
import { accountChecks } from "../management/AccountChecks.ts"
import { accountManagement } from "../management/AccountManagement.ts"
import { contactManagement } from "../management/ContactManagement.ts"
import { CredentialStores } from "../access/CredentialStores.ts"
import { credentialManagement } from "../management/CredentialManagement.ts"
import { customerManagement } from "../management/CustomerManagement.ts"
import { keyManagement } from "../management/KeyManagement.ts"
import { templateManagement } from "../management/TemplateManagement.ts"
import { walletManagement } from "../management/WalletManagement.ts"
import { MasterKey } from "../crypto/MasterKey.ts"

export const ManagementSql = Layer.effect(
  Management,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const key = yield* MasterKey
    const adapters = yield* ProviderAdapters
    const { pathOf } = yield* BotAddresses
    return Management.of({
      ...customerManagement(sql),
      ...keyManagement(sql, random),
      ...(yield* credentialManagement),
      ...templateManagement(sql),
      ...walletManagement(sql, random),
      ...accountManagement(sql, random, key, adapters),
      ...accountChecks(sql, key, adapters),
      ...contactManagement(sql, yield* ContactLinks, pathOf)
    })
  })
).pipe(Layer.provide(CredentialStores))
