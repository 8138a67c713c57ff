import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { codeTo, liveFor, messageTo, paced } from "../../support/PacedAccounts.ts"
import { misconfigured, scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

/** As if a request to delete it had not yet seen the send that names it. */
const deleteAccount = Effect.fnUntraced(function* (customerId: number, channel: Channel) {
  const sql = yield* SqlClient.SqlClient
  const isIt = sql`customer_id = ${customerId} and channel = ${channel}`
  yield* sql`delete from account_pace where account_id in (select id from sending_accounts where ${isIt})`
  yield* sql`delete from sending_accounts where ${isIt}`
})

// `misconfigured` is what a call over a deleted account says.
layer(TestDatabase, { excludeTestServices: true })("an account that is deleted before its step", (it) => {
  it.effect("does not hold up a message: it goes over the next channel", () => {
    const providers = scriptProviders({ bale: misconfigured })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const { messageId: id } = yield* messageTo(customerId, ["bale", "sms"])
      yield* deleteAccount(customerId, "bale")
      yield* liveFor(2)
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      assert.strictEqual((yield* (yield* Messages).status({ customerId, id })).status, "sent")
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("does not hold up a code: it falls back to the next channel", () => {
    const providers = scriptProviders({ sms: misconfigured })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms", "eitaa"])
      const { verificationId: id } = yield* codeTo(customerId, ["bale", "sms", "eitaa"])
      yield* deleteAccount(customerId, "sms")
      yield* liveFor(65)
      assert.deepStrictEqual(providers.channels(), ["bale", "sms", "eitaa"])
      const { attempts } = yield* (yield* Verifications).status({ customerId, id })
      assert.deepStrictEqual(
        attempts.map(({ status }) => status),
        ["sent", "failed", "sent"]
      )
    }).pipe(Effect.provide(paced(providers)))
  })
})
