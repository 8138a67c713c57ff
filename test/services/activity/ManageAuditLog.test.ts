import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Actor } from "../../../src/domain/user/Actor.ts"
import { ManagementWritesSql } from "../../../src/layers/postgres/ManagementWritesSql.ts"
import { ManagementWrites } from "../../../src/services/ManagementWrites.ts"
import { AuditLog, type AuditSearch } from "../../../src/services/activity/AuditLog.ts"
import { allPages, firstPage, MARCH, readProcess } from "../../support/ManageReads.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const auditProcess = Layer.provideMerge(ManagementWritesSql, readProcess(scriptProviders()))

const origin = { ip: "192.0.2.7", userAgent: "curl/8", requestId: "r-1" }

const change = Effect.fnUntraced(function* (
  customerId: number,
  action: string,
  subjectId = "1",
  kind: Actor["kind"] = "token"
) {
  const actor: Actor = { customerId, kind, id: "t1", name: "CI", scope: "full", isOwner: true }
  const subjectType = action.split(".")[0] ?? ""
  const audit = {
    action,
    subjectType,
    subjectId,
    subjectName: "Shop",
    details: { name: "x" },
    previous: { name: "y" }
  }
  const { write } = yield* ManagementWrites
  yield* Effect.orDie(
    write(
      { actor, origin, operation: action, status: 200, idempotency: undefined },
      Effect.succeed({ body: {}, audit })
    )
  )
  yield* TestClock.adjust(1000)
})

const actions = Effect.fnUntraced(function* (customerId: number, search: AuditSearch = {}) {
  const { items } = yield* (yield* AuditLog).list(customerId, { ...firstPage, ...search })
  return items.map(({ action, subjectId }) => `${action} ${subjectId}`)
})

const emptyLog = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from audit_log`)

layer(TestDatabase, { excludeTestServices: true })("the audit log", (it) => {
  it.effect("says who changed what, when and from where", () =>
    Effect.gen(function* () {
      yield* emptyLog
      yield* change(1, "api_key.create", "7")
      const { items } = yield* (yield* AuditLog).list(1, firstPage)
      assert.deepStrictEqual(
        items.map((record) => Struct.omit(record, ["id"])),
        [
          {
            customerId: 1,
            actorKind: "token",
            actorId: "t1",
            actorName: "CI",
            action: "api_key.create",
            subjectType: "api_key",
            subjectId: "7",
            subjectName: "Shop",
            details: { name: "x" },
            previous: { name: "y" },
            ip: "192.0.2.7",
            userAgent: "curl/8",
            requestId: "r-1",
            occurredAt: MARCH
          }
        ]
      )
    }).pipe(Effect.provide(auditProcess))
  )

  it.effect("can be of one kind of actor, of actions that begin alike, of one subject, and of a time", () =>
    Effect.gen(function* () {
      yield* emptyLog
      yield* change(1, "api_key.create", "1")
      yield* change(1, "api_key.revoke", "2", "user")
      yield* change(1, "template.create", "1")
      yield* change(1, "api_keys%.create", "3")
      yield* change(2, "api_key.create", "9")
      assert.deepStrictEqual(yield* actions(1, { action: "api_key." }), [
        "api_key.revoke 2",
        "api_key.create 1"
      ])
      assert.deepStrictEqual(yield* actions(1, { action: "api_key.create" }), ["api_key.create 1"])
      assert.deepStrictEqual(yield* actions(1, { action: "%" }), [])
      assert.deepStrictEqual(yield* actions(1, { actorKind: "user" }), ["api_key.revoke 2"])
      assert.deepStrictEqual(yield* actions(1, { subjectType: "template" }), ["template.create 1"])
      assert.deepStrictEqual(yield* actions(1, { subjectId: "1", subjectType: "api_key" }), [
        "api_key.create 1"
      ])
      assert.deepStrictEqual(yield* actions(1, { from: MARCH + 1000, to: MARCH + 3000 }), [
        "template.create 1",
        "api_key.revoke 2"
      ])
      assert.deepStrictEqual(yield* actions(2), ["api_key.create 9"])
    }).pipe(Effect.provide(auditProcess))
  )

  it.effect(
    "has each change once, the newest first, whatever the size of its parts and whatever comes meanwhile",
    () =>
      Effect.gen(function* () {
        yield* emptyLog
        for (let n = 0; n < 11; n++) yield* change(1, "api_key.create", String(n))
        const { list } = yield* AuditLog
        for (const limit of [1, 3, 11, 50]) {
          const before = yield* actions(1)
          const all = yield* allPages(limit, (page) => list(1, page), change(1, "api_key.revoke"))
          assert.deepStrictEqual(
            all.map(({ action, subjectId }) => `${action} ${subjectId}`),
            before
          )
        }
      }).pipe(Effect.provide(auditProcess))
  )
})
