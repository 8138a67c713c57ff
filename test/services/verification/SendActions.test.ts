import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operatorActor } from "../../../src/domain/user/Actor.ts"
import { ManagementWritesSql } from "../../../src/layers/postgres/ManagementWritesSql.ts"
import { perform } from "../../../src/services/Action.ts"
import { AuditLog } from "../../../src/services/activity/AuditLog.ts"
import { cancelMessage } from "../../../src/services/message/MessageActions.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { cancelVerification } from "../../../src/services/verification/VerificationActions.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { firstPage, readProcess } from "../../support/ManageReads.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { sendMessage } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const process = () => Layer.provideMerge(ManagementWritesSql, readProcess(scriptProviders()))

const callOf = (customerId: number, target: string) => ({
  actor: operatorActor(customerId),
  origin: { ip: null, userAgent: null, requestId: null },
  target,
  input: {},
  version: null
})

/** While this runs, PostgreSQL takes no entry in the audit log. */
const withoutEntries = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`alter table audit_log add constraint no_entries check (false) not valid`
    return yield* Effect.ensuring(effect, Effect.orDie(sql`alter table audit_log drop constraint no_entries`))
  })

const actionsOf = (customerId: number) =>
  Effect.map(
    AuditLog.use((log) => log.list(customerId, firstPage)),
    ({ items }) => items.map(({ action }) => action)
  )

const timesOf = (id: string, type: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`select count(*)::int as times from events where subject = ${id}::uuid and type = ${type}`,
      ([row]) => row?.["times"]
    )
  )

layer(TestDatabase, { excludeTestServices: true })("a cancellation by management", (it) => {
  it.effect("of a code is one transaction with its entry", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const verifications = yield* Verifications
      const { verificationId: id } = yield* verifications.send({ customerId, phone: "09121234567" })
      const canceled = perform(cancelVerification, callOf(customerId, id))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(withoutEntries(canceled))))
      assert.strictEqual((yield* verifications.status({ customerId, id })).status, "queued")
      assert.strictEqual(yield* timesOf(id, "verification.canceled"), 0)

      assert.strictEqual((yield* canceled).status, "canceled")
      assert.strictEqual((yield* verifications.status({ customerId, id })).status, "canceled")
      assert.strictEqual(yield* timesOf(id, "verification.canceled"), 1)
      assert.deepStrictEqual(yield* actionsOf(customerId), ["verification.cancel"])
    }).pipe(Effect.provide(process()))
  )

  it.effect("of a message is one transaction with its entry", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const messages = yield* Messages
      const { id } = yield* sendMessage(customerId, ["bale"], { delay: "60s" })
      const canceled = perform(cancelMessage, callOf(customerId, id))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(withoutEntries(canceled))))
      assert.strictEqual((yield* messages.status({ customerId, id })).status, "queued")

      assert.strictEqual((yield* canceled).status, "canceled")
      assert.strictEqual(yield* timesOf(id, "message.canceled"), 1)
      assert.deepStrictEqual(yield* actionsOf(customerId), ["message.cancel"])
    }).pipe(Effect.provide(process()))
  )

  it.effect("that is refused leaves no entry", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const unknown = perform(cancelVerification, callOf(customerId, "01a21c30-341e-76a9-b078-0a21f0000000"))
      assert.strictEqual((yield* Effect.flip(unknown))._tag, "not_found")
      assert.deepStrictEqual(yield* actionsOf(customerId), [])
    }).pipe(Effect.provide(process()))
  )
})
