import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Management } from "../services/Management.ts"
import { ProviderAdapters } from "../services/ProviderAdapter.ts"
import { accountManagement } from "./management/AccountManagement.ts"
import { customerManagement } from "./management/CustomerManagement.ts"
import { keyManagement } from "./management/KeyManagement.ts"
import { templateManagement } from "./management/TemplateManagement.ts"
import { walletManagement } from "./management/WalletManagement.ts"
import { MasterKey } from "./MasterKey.ts"

export const ManagementSql = Layer.effect(
  Management,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    return Management.of({
      ...customerManagement(sql),
      ...keyManagement(sql, random),
      ...templateManagement(sql),
      ...walletManagement(sql, random),
      ...accountManagement(sql, yield* MasterKey, yield* ProviderAdapters)
    })
  })
)
