import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { PLATFORM } from "../../../src/domain/customer/Customer.ts"
import { type Actor, operatorActor, type Role } from "../../../src/domain/user/Actor.ts"
import { operatorActorOf, userActor } from "../../../src/domain/user/Sessions.ts"
import { AuditLogSql } from "../../../src/layers/activity/AuditLogSql.ts"
import { Argon2 } from "../../../src/layers/crypto/PasswordsArgon2.ts"
import { CredentialStores } from "../../../src/layers/graphs/CredentialGraph.ts"
import { ManagementWritesSql } from "../../../src/layers/postgres/ManagementWritesSql.ts"
import { OperatorsSql, SignInLinksSql } from "../../../src/layers/user/ConsoleSessionsSql.ts"
import { type Action, type Call, perform, performOnce } from "../../../src/services/Action.ts"
import { AuditLog } from "../../../src/services/activity/AuditLog.ts"
import {
  changeCustomer,
  createCustomer,
  setLimits,
  topUp
} from "../../../src/services/customer/CustomerRecords.ts"
import { createToken } from "../../../src/services/key/Tokens.ts"
import { createOperator } from "../../../src/services/user/Operators.ts"
import { changeUser, createSignInLink, inviteUser, Users } from "../../../src/services/user/Users.ts"
import { firstPage } from "../../support/ManageReads.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testInfrastructure } from "../../support/TestGraph.ts"

const FreeArgon2 = Layer.succeed(Argon2, (_password, _nonce, _cost, tagLength) =>
  Effect.succeed(new Uint8Array(tagLength))
)

const process = Layer.mergeAll(
  ManagementWritesSql,
  OperatorsSql,
  SignInLinksSql,
  CredentialStores,
  AuditLogSql
).pipe(Layer.provideMerge(testInfrastructure()), Layer.provideMerge(FreeArgon2))

const from = { ip: null, userAgent: null, requestId: null }

const performAs = <Input extends Schema.Top, Target, A, E, R>(
  actor: Actor,
  performed: Action<Input, Target, A, E, R>,
  call: Pick<Call<Input["Type"], Target>, "target" | "input">
) => perform(performed, { actor, origin: from, version: null, ...call })

const PLATFORM_OPERATOR = operatorActor(PLATFORM)

const newCustomer = performAs(PLATFORM_OPERATOR, createCustomer, {
  target: undefined,
  input: { name: "Shop", plan: "free" }
})

const newUser = Effect.fnUntraced(function* (customerId: number, role: Role) {
  const user = yield* performAs(operatorActor(customerId), inviteUser, {
    target: undefined,
    input: { email: `${randomUUID()}@example.ir`, name: "Sara", role }
  })
  return { user, actor: userActor(user, "full", randomUUID()) }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "ok" })

const auditOf = (customerId: number) =>
  Effect.flatMap(AuditLog, ({ list }) => Effect.map(list(customerId, firstPage), ({ items }) => items))

layer(TestDatabase, { excludeTestServices: true })("a customer", (it) => {
  it.effect("cannot lose its last owner to two who dismiss each other", () =>
    Effect.gen(function* () {
      const { id } = yield* newCustomer
      const [one, other] = [yield* newUser(id, "owner"), yield* newUser(id, "owner")]
      const tags = yield* Effect.all(
        [
          tagOf(performAs(one.actor, changeUser, { target: other.user.id, input: { active: false } })),
          tagOf(performAs(other.actor, changeUser, { target: one.user.id, input: { role: "viewer" } }))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(tags.toSorted(), ["conflict", "ok"])
    }).pipe(Effect.provide(process))
  )

  it.effect("loses its last owner by the command line only, not by an operator in the console", () =>
    Effect.gen(function* () {
      const { id } = yield* newCustomer
      const { user } = yield* newUser(id, "owner")
      const inConsole = operatorActorOf({ id: randomUUID(), name: "Root" }, id, randomUUID())
      const dismissed = (actor: Actor) =>
        tagOf(performAs(actor, changeUser, { target: user.id, input: { active: false } }))
      assert.strictEqual(yield* dismissed(inConsole), "conflict")
      assert.strictEqual((yield* (yield* Users).find(id, user.id)).disabledAt, null)
      assert.strictEqual(yield* dismissed(operatorActor(id)), "ok")
    }).pipe(Effect.provide(process))
  )

  it.effect("has its creation in its own log, whoever made it", () =>
    Effect.gen(function* () {
      const console = operatorActorOf({ id: randomUUID(), name: "Root" }, PLATFORM, randomUUID())
      const input = { name: "Shop", plan: "start" } as const
      const { id } = yield* performAs(console, createCustomer, { target: undefined, input })
      const [entry] = yield* auditOf(id)
      assert.deepInclude(entry, { action: "customer.create", actorName: "Root", details: input })
    }).pipe(Effect.provide(process))
  )

  it.effect("has its name from owners, its plan, limits and money from operators", () =>
    Effect.gen(function* () {
      const { id } = yield* newCustomer
      const [owner, developer] = [yield* newUser(id, "owner"), yield* newUser(id, "developer")]
      const changed = (actor: Actor, input: (typeof changeCustomer)["input"]["Type"]) =>
        tagOf(performAs(actor, changeCustomer, { target: undefined, input }))
      const limited = (actor: Actor) =>
        tagOf(performAs(actor, setLimits, { target: undefined, input: { phone_hour: 0 } }))
      const toppedUp = (actor: Actor) =>
        tagOf(performAs(actor, topUp, { target: undefined, input: { amount: 1 } }))
      assert.strictEqual(yield* changed(developer.actor, { brand: "Shop" }), "ok")
      assert.strictEqual(yield* changed(developer.actor, { name: "Other" }), "scope_insufficient")
      assert.strictEqual(yield* changed(owner.actor, { name: "Other" }), "ok")
      for (const [actor, tag] of [
        [owner.actor, "scope_insufficient"],
        [operatorActor(id), "ok"]
      ] as const) {
        const acts = [changed(actor, { plan: "business" }), limited(actor), toppedUp(actor)]
        assert.deepStrictEqual(yield* Effect.all(acts), [tag, tag, tag])
      }
    }).pipe(Effect.provide(process))
  )
})

layer(TestDatabase, { excludeTestServices: true })("an operator", (it) => {
  it.effect("keeps their role, and is renamed", () =>
    Effect.gen(function* () {
      const email = `${randomUUID()}@example.ir`
      const input = { email, name: "Root", password: Redacted.make("correct horse battery") }
      const { id } = yield* performAs(PLATFORM_OPERATOR, createOperator, { target: undefined, input })
      const changed = (change: (typeof changeUser)["input"]["Type"]) =>
        tagOf(performAs(PLATFORM_OPERATOR, changeUser, { target: id, input: change }))
      assert.strictEqual(yield* changed({ role: "viewer" }), "conflict")
      assert.strictEqual(yield* changed({ name: "Sara" }), "ok")
      assert.deepInclude(yield* (yield* Users).find(PLATFORM, id), { name: "Sara", isOperator: true })
    }).pipe(Effect.provide(process))
  )
})

layer(TestDatabase, { excludeTestServices: true })("what gives access", (it) => {
  it.effect("needs a recent sign-in in the console, and leaves nothing if it is refused", () =>
    Effect.gen(function* () {
      const { id } = yield* newCustomer
      const { actor, user } = yield* newUser(id, "owner")
      const viewer = yield* newUser(id, "viewer")
      const stale = { ...actor, signedInAt: null }
      const before = yield* auditOf(id)
      const invited = { email: `${randomUUID()}@example.ir`, name: "Ali", role: "viewer" } as const
      for (const refused of [
        tagOf(performAs(stale, inviteUser, { target: undefined, input: invited })),
        tagOf(performAs(stale, createSignInLink, { target: undefined, input: { email: user.email } })),
        tagOf(performAs(stale, changeUser, { target: viewer.user.id, input: { name: "Ali", role: "owner" } }))
      ])
        assert.strictEqual(yield* refused, "scope_insufficient")
      const { role, name } = yield* (yield* Users).find(id, viewer.user.id)
      assert.deepStrictEqual({ role, name }, { role: "viewer", name: "Sara" })
      assert.deepStrictEqual(yield* auditOf(id), before)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select from users where email = ${invited.email}`, [])
    }).pipe(Effect.provide(process))
  )

  it.effect("is not shown again to a session that may not give it any more", () =>
    Effect.gen(function* () {
      const { id } = yield* newCustomer
      const { actor } = yield* newUser(id, "owner")
      const input = { name: "deploy", scope: "full" } as const
      const created = (by: Actor) =>
        tagOf(
          performOnce(
            createToken,
            { actor: by, origin: from, version: null, target: undefined, input },
            {
              status: 201,
              idempotency: { key: "again", body: input },
              encode: ({ secret }) => Effect.succeed(Redacted.value(secret))
            }
          )
        )
      const fresh = { ...actor, signedInAt: yield* Clock.currentTimeMillis }
      assert.deepStrictEqual([yield* created(fresh), yield* created(fresh)], ["ok", "ok"])
      assert.strictEqual(yield* created({ ...actor, signedInAt: null }), "scope_insufficient")
    }).pipe(Effect.provide(process))
  )
})
