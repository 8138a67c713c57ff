import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Actor } from "../../src/domain/user/Actor.ts"
import { ManagementWritesSql } from "../../src/layers/postgres/ManagementWritesSql.ts"
import { ManagementWrites } from "../../src/services/ManagementWrites.ts"
import { AuditLog } from "../../src/services/activity/AuditLog.ts"
import { firstPage, readProcess } from "../support/ManageReads.ts"
import { scriptProviders } from "../support/ScriptedProviders.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const process = Layer.provideMerge(ManagementWritesSql, readProcess(scriptProviders()))

const DEADLOCK = "40P01"
const SERIALIZATION = "40001"

const actor: Actor = { customerId: 1, kind: "token", id: "t1", name: "CI", scope: "full", isOwner: true }
const audit = { action: "webhook.delete", subjectType: "webhook", subjectId: "1", details: {} }
const request = {
  actor,
  origin: { ip: null, userAgent: null, requestId: null },
  operation: "webhook.delete",
  status: 200,
  idempotency: undefined
}

const raised = (code: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`do $$ begin raise exception 'lost' using errcode = '${code}'; end $$`)
  )

layer(TestDatabase, { excludeTestServices: true })("a change under management", (it) => {
  for (const [how, code, isDefect] of [
    ["a deadlock", DEADLOCK, false],
    ["a deadlock that is a defect", DEADLOCK, true],
    ["a serialization failure", SERIALIZATION, false]
  ] as const) {
    it.effect(`is made again when it lost to ${how}, and kept once`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from audit_log`
        let tries = 0
        const change = Effect.gen(function* () {
          tries += 1
          if (tries < 3) yield* isDefect ? Effect.orDie(raised(code)) : raised(code)
          return { body: { tries }, audit }
        })
        const { write } = yield* ManagementWrites
        assert.deepStrictEqual((yield* write(request, change)).body, { tries: 3 })
        const { items } = yield* (yield* AuditLog).list(1, firstPage)
        assert.strictEqual(items.length, 1)
      }).pipe(Effect.provide(process))
    )
  }

  it.effect("is not made again when something else is wrong", () =>
    Effect.gen(function* () {
      let tries = 0
      const change = Effect.suspend(() => {
        tries += 1
        return Effect.andThen(raised("22012"), Effect.succeed({ body: {}, audit }))
      })
      const { write } = yield* ManagementWrites
      yield* Effect.exit(write(request, change))
      assert.strictEqual(tries, 1)
    }).pipe(Effect.provide(process))
  )
})
