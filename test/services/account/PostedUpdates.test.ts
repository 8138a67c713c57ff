import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { BotAddresses, BotInboxes } from "../../../src/services/account/BotInboxes.ts"
import { connectedProcess, connectionWith, switchedOff } from "../../support/ScriptedConnections.ts"
import { inboxState, makeInbox, scriptInbox } from "../../support/ScriptedInbox.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { arriveAt } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { Left, DAY, endpoints, processWith, share, chatOf } from "../../support/BotInboxSetUp.ts"

/** Where an account's updates are posted, and the secret that goes with it. */
const addressOf = Effect.fnUntraced(function* (accountId: number, generation = 0) {
  const { pathOf, webhookOf } = yield* BotAddresses
  const token = pathOf({ accountId, generation }).split("/").at(-1) ?? ""
  return { token, secret: webhookOf({ accountId, generation })?.secret ?? "" }
})

const post = Effect.fnUntraced(function* (
  { token, secret }: { readonly token: string; readonly secret?: string },
  body: unknown
) {
  const { receive } = yield* BotInboxes
  const header = (name: string) => (name === "x-secret" ? secret : undefined)
  return yield* receive({ token, header, body: Effect.succeed(body) }).pipe(
    Effect.as("received"),
    Effect.catch((error) => Effect.succeed(error._tag))
  )
})

layer(TestDatabase, { excludeTestServices: true })("a posted update", (it) => {
  it.effect("with the account's token and secret does what a polled one does", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      const address = yield* addressOf(accountId)
      assert.strictEqual(yield* post(address, share()), "received")
      assert.strictEqual(yield* chatOf(accountId), "7")
      assert.lengthOf(far.replies, 1)
      assert.strictEqual(yield* post(address, Left({ chatId: "7" })), "received")
      assert.isNull(yield* chatOf(accountId))
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("in which there is nothing for us is received, and does nothing", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const address = yield* addressOf(yield* makeInbox)
      assert.strictEqual(yield* post(address, { edited_message: {} }), "received")
      assert.lengthOf(far.replies, 0)
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("with another token, or another secret, is of nobody, and does nothing", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      const otherId = yield* makeInbox
      const { token, secret } = yield* addressOf(accountId)
      const other = yield* addressOf(otherId)
      const swapped = token.endsWith("A") ? "B" : "A"
      const forged = [
        { token: `${token.slice(0, -2)}${swapped}${token.slice(-1)}`, secret },
        { token: `${otherId}-${token.split("-").slice(1).join("-")}`, secret: other.secret },
        { token: other.token, secret },
        { token, secret: other.secret },
        { token, secret: `${secret} ` },
        { token, secret: "" },
        { token },
        { token: "", secret },
        { token: String(accountId), secret },
        { token: `${accountId}-`, secret },
        { token: `99999999999${token.slice(String(accountId).length)}`, secret },
        { token: `0${token}`, secret },
        { token: `${token}/`, secret }
      ]
      for (const address of forged) {
        assert.strictEqual(yield* post(address, share()), "UnknownInbox", JSON.stringify(address))
      }
      assert.isNull(yield* chatOf(accountId))
      assert.isNull(yield* chatOf(otherId))
      assert.lengthOf(far.replies, 0)
      assert.strictEqual(yield* post({ token, secret }, share()), "received")
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("needs no secret where the platform has none to send", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      const { token } = yield* addressOf(accountId)
      assert.strictEqual(yield* post({ token }, share()), "received")
      assert.strictEqual(yield* chatOf(accountId), "7")
    }).pipe(Effect.provide(processWith({ ...far.inbox, secretHeader: null })))
  })

  it.effect("to the address of an earlier generation is of nobody, and the new address is announced", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accountId = yield* makeInbox
      yield* arriveAt(0, 0)
      const before = yield* addressOf(accountId)
      const after = yield* addressOf(accountId, 1)
      assert.strictEqual(yield* post(after, share()), "UnknownInbox")
      yield* sql`update account_inboxes set generation = 1 where account_id = ${accountId}`
      assert.strictEqual(yield* post(before, share()), "UnknownInbox")
      assert.strictEqual(yield* post({ ...after, secret: before.secret }, share()), "UnknownInbox")
      assert.isNull(yield* chatOf(accountId))
      assert.strictEqual(yield* post(after, share()), "received")
      yield* arriveAt(0, DAY)
      assert.deepStrictEqual(
        far.announced.map(({ url, secret }) => [url.endsWith(before.token), secret === before.secret]),
        [
          [true, true],
          [false, false]
        ]
      )
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("has its new address announced at once when it changed while the old one was announced", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accountId = yield* makeInbox
      const raise = sql`update account_inboxes set generation = 1 where account_id = ${accountId}`
      far.script.announce = Effect.asVoid(Effect.orDie(raise))
      yield* arriveAt(0, 0)
      assert.deepStrictEqual(
        far.announced.map(({ at }) => at),
        [0, 0]
      )
      assert.isTrue(far.announced[1]?.url.endsWith((yield* addressOf(accountId, 1)).token))
      assert.strictEqual((yield* inboxState(accountId))?.dueAt, DAY * 1000)
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("to an account without an inbox, or that cannot be used, is of nobody", () => {
    const accounts = [connectionWith({}), switchedOff]
    let connection = 0
    const connect = () => accounts[connection] ?? switchedOff
    return Effect.gen(function* () {
      const address = yield* addressOf(yield* makeInbox)
      for (const index of accounts.keys()) {
        connection = index
        assert.strictEqual(yield* post(address, share()), "UnknownInbox")
      }
      assert.strictEqual(yield* post(yield* addressOf(2_147_483_647), share()), "UnknownInbox")
    }).pipe(Effect.provide(connectedProcess(scriptProviders().layer, connect, { endpoints })))
  })

  it.effect("whose reply fails links all the same, and is received", () => {
    const far = scriptInbox()
    far.script.reply = Effect.succeed(ProviderOutcome.Unavailable({ providerError: "gone" }))
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      assert.strictEqual(yield* post(yield* addressOf(accountId), share()), "received")
      assert.strictEqual(yield* chatOf(accountId), "7")
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })
})
