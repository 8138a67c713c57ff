import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Messages } from "../../../src/services/message/Messages.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { PHONE } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const channels = [{ channel: "bale" }, { channel: "sms" }]

/** An sms account whose settings lack what sending this kind needs. */
const customerWithout = Effect.fnUntraced(function* (column: "sends_texts" | "sends_codes") {
  const customerId = yield* makeCustomer(["bale", "sms"])
  const sql = yield* SqlClient.SqlClient
  const [account] = yield* sql<{ readonly id: number }>`
    update sending_accounts set ${sql(column)} = false where customer_id = ${customerId} and channel = 'sms'
    returning id`
  return { customerId, account_id: account?.id ?? 0 }
})

const countOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return (yield* sql`select 1 from ${sql(table)}`).length
  })

layer(TestDatabase, { excludeTestServices: true })("an sms account with incomplete settings", (it) => {
  it.effect(
    "for texts refuses a message before anything of it is kept or sent, and still sends codes",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { customerId, account_id } = yield* customerWithout("sends_texts")
        const request = { customerId, to: PHONE, message: "x", channels, idempotency: { key: "k", body: {} } }
        const refusal = yield* Effect.flip((yield* Messages).send(request))
        assert.strictEqual(refusal._tag, "sms_message_config_missing")
        assert.deepStrictEqual<unknown>("details" in refusal ? refusal.details : null, {
          account_id,
          settings: []
        })
        assert.deepStrictEqual([yield* countOf("messages"), yield* countOf("idempotency_keys")], [0, 0])
        yield* (yield* Verifications).send({ customerId, phone: PHONE, channels })
        assert.deepStrictEqual(providers.channels(), ["bale"])
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect(
    "for codes refuses a code before anything of it is kept or sent, and still sends messages",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { customerId, account_id } = yield* customerWithout("sends_codes")
        const request = { customerId, phone: PHONE, channels, idempotency: { key: "k", body: {} } }
        const refusal = yield* Effect.flip((yield* Verifications).send(request))
        assert.strictEqual(refusal._tag, "sms_message_config_missing")
        assert.deepStrictEqual<unknown>("details" in refusal ? refusal.details : null, {
          account_id,
          settings: []
        })
        assert.deepStrictEqual([yield* countOf("verifications"), yield* countOf("idempotency_keys")], [0, 0])
        yield* (yield* Messages).send({ customerId, to: PHONE, message: "x", channels: [{ channel: "sms" }] })
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )
})
