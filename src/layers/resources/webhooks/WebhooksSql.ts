import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Webhooks } from "../../../services/resources/Webhooks.ts"
import { AllowsPrivateAddresses } from "../../network/AddressPolicy.ts"
import { MasterKey } from "../../crypto/MasterKey.ts"
import { deliveredBodies } from "./DeliveredBodiesSql.ts"
import { webhookEndpoints } from "./WebhookEndpointsSql.ts"
import { webhookReplays } from "./WebhookReplaysSql.ts"

export const WebhooksSql = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const key = yield* MasterKey
    const allowsPrivateAddresses = yield* AllowsPrivateAddresses
    return Webhooks.of({
      ...webhookEndpoints(sql, random, key, allowsPrivateAddresses),
      ...webhookReplays(sql, random),
      ...deliveredBodies(sql)
    })
  })
)
