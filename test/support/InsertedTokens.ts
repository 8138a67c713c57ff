import { createHash, randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { onEmbeddedStore } from "./EmbeddedStore.ts"

/** A personal access token of this customer, put into the embedded store of a data directory. */
export const insertToken = (
  dataDir: string,
  customerId: string | number,
  scope: "full" | "read_only" = "full"
): Promise<string> => {
  const secret = `svc_pat_${randomBytes(32).toString("base64url")}`
  const insert = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into personal_tokens (customer_id, name, scope, prefix, last_four, secret_hash, created_at)
      values (${Number(customerId)}, 'CI', ${scope}, ${secret.slice(0, 12)}, ${secret.slice(-4)},
        ${createHash("sha256").update(secret).digest()}::bytea, now())`
    return secret
  })
  return onEmbeddedStore(dataDir, insert)
}
