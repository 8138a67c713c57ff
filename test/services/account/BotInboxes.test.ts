import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BotUpdate } from "../../../src/domain/account/BotUpdate.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import { ProviderOutcome } from "../../../src/domain/account/ProviderOutcome.ts"
import { defaultEndpoints } from "../../../src/layers/providers/ProviderEndpoints.ts"
import { BotAddresses } from "../../../src/services/account/BotAddresses.ts"
import { BotInboxes } from "../../../src/services/account/BotInboxes.ts"
import { ContactLinks } from "../../../src/services/account/ContactLinks.ts"
import type { BotInbox } from "../../../src/services/provider/ProviderAdapter.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { connectedProcess, connectionWith, switchedOff } from "../../support/ScriptedConnections.ts"
import { inboxState, makeInbox, nothing, problem, scriptInbox } from "../../support/ScriptedInbox.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { arriveAt } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const { Left, SharedContact, Spoke } = BotUpdate

const PHONE = Phone.make("+989121234567")
const PUBLIC_URL = "https://peyk.example"
const DAY = 86_400

const endpoints = { ...defaultEndpoints, publicUrl: PUBLIC_URL }

/** A process whose every account has this inbox. */
const processWith = (inbox: BotInbox | null, isPublic = false) =>
  connectedProcess(scriptProviders().layer, () => connectionWith({ inbox }), isPublic ? { endpoints } : {})

const share = (chatId = "7", changes: { readonly isOwn?: boolean; readonly isProven?: boolean } = {}) =>
  SharedContact({ chatId, phone: "989121234567", isOwn: true, isProven: true, ...changes })
const shareOther = (chatId: string) =>
  SharedContact({ chatId, phone: "989351234567", isOwn: true, isProven: true })
const OTHER = Phone.make("+989351234567")
const bareBatch = (update: BotUpdate, cursor = "c1") => ({ updates: [update], cursor })

const chatOf = (accountId: number, phone = PHONE) =>
  Effect.flatMap(ContactLinks, (links) => links.chatOf(accountId, phone))

layer(TestDatabase, { excludeTestServices: true })("an account's updates", (it) => {
  it.effect("are polled at once, for 20 s, and again a second after each batch, from its cursor on", () => {
    const far = scriptInbox(nothing("c1"), nothing("c2"))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const accountId = yield* makeInbox
      yield* arriveAt(start, 0)
      yield* arriveAt(start, 0.999)
      assert.deepStrictEqual(far.polls, [{ cursor: null, waitMillis: 20_000, at: 0 }])
      assert.deepStrictEqual(yield* inboxState(accountId), { cursor: "c1", dueAt: 1_000, isLeased: false })
      yield* arriveAt(start, 1)
      yield* arriveAt(start, 2)
      assert.deepStrictEqual(far.asked(), [
        [0, null],
        [1, "c1"],
        [2, "c2"]
      ])
      assert.deepStrictEqual(far.announced, [])
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect(
    "are polled again 15 s after a problem, and 5 minutes after a refusal, from the same cursor",
    () => {
      const far = scriptInbox(nothing("c1"), problem(false), problem(true), nothing("c2"))
      return Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        yield* makeInbox
        for (const at of [0, 1, 15.999, 16, 315.999, 316]) yield* arriveAt(start, at)
        assert.deepStrictEqual(far.asked(), [
          [0, null],
          [1, "c1"],
          [16, "c1"],
          [316, "c1"]
        ])
      }).pipe(Effect.provide(processWith(far.inbox)))
    }
  )

  it.effect("of an account that is switched off are checked again in 5 minutes, from the same cursor", () => {
    const far = scriptInbox(nothing("c1"))
    let isOff = false
    const connect = () => (isOff ? switchedOff : connectionWith({ inbox: far.inbox }))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* makeInbox
      yield* arriveAt(start, 0)
      isOff = true
      yield* arriveAt(start, 1)
      isOff = false
      yield* arriveAt(start, 300)
      assert.lengthOf(far.polls, 1)
      yield* arriveAt(start, 301)
      assert.deepStrictEqual(far.asked(), [
        [0, null],
        [301, "c1"]
      ])
    }).pipe(Effect.provide(connectedProcess(scriptProviders().layer, connect)))
  })

  it.effect("that the platform neither posts nor gives are left alone for a day", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const accountId = yield* makeInbox
      yield* arriveAt(start, 0)
      assert.strictEqual((yield* inboxState(accountId))?.dueAt, DAY * 1000)
      assert.deepStrictEqual([far.polls, far.announced], [[], []])
    }).pipe(Effect.provide(processWith({ ...far.inbox, poll: null })))
  })

  it.effect("are posted where the service has a public address, which is announced now and every day", () => {
    const far = scriptInbox(nothing("c1"))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const accountId = yield* makeInbox
      const addresses = yield* BotAddresses
      for (const at of [0, 1, 3_600, DAY - 1, DAY]) yield* arriveAt(start, at)
      assert.deepStrictEqual(
        far.announced.map(({ at }) => at / 1000),
        [0, DAY]
      )
      const [webhook] = far.announced
      const record = { accountId, generation: 0 }
      assert.strictEqual(webhook?.url, `${PUBLIC_URL}${addresses.pathOf(record)}`)
      assert.isTrue(addresses.isSecret(record, webhook?.secret ?? ""))
      assert.notInclude(webhook?.url ?? "", webhook?.secret ?? "none")
      assert.deepStrictEqual(far.polls, [])
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("whose address the platform did not take is announced again, after a refusal later", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* makeInbox
      far.script.announce = problem(false)
      yield* arriveAt(start, 0)
      far.script.announce = problem(true)
      yield* arriveAt(start, 14)
      yield* arriveAt(start, 15)
      yield* arriveAt(start, 314)
      yield* arriveAt(start, 315)
      assert.deepStrictEqual(
        far.announced.map(({ at }) => at / 1000),
        [0, 15, 315]
      )
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("are polled where the platform posts none, public address or not", () => {
    const far = scriptInbox(nothing("c1"))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* makeInbox
      yield* arriveAt(start, 0)
      assert.deepStrictEqual(far.asked(), [[0, null]])
    }).pipe(Effect.provide(processWith({ ...far.inbox, announceWebhook: null }, true)))
  })

  it.effect("are given up while nobody writes when the process stops, and are due again at once", () => {
    const far = scriptInbox(nothing("c1"), Effect.never)
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const memory = yield* Layer.makeMemoMap
      const process = yield* Layer.buildWithMemoMap(processWith(far.inbox), memory, scope)
      const accountId = yield* Effect.gen(function* () {
        const accountId = yield* makeInbox
        yield* arriveAt(0, 0)
        yield* TestClock.adjust("1 second")
        yield* Effect.forkIn((yield* TimerRunner).loop, scope)
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => far.polls.length === 2 }))
        yield* Scope.close(scope, Exit.void)
        assert.lengthOf(far.polls, 2)
        return accountId
      }).pipe(Effect.provide(process))
      assert.deepStrictEqual(yield* inboxState(accountId), { cursor: "c1", dueAt: 1_000, isLeased: false })
    })
  })
})

layer(TestDatabase, { excludeTestServices: true })("who meets a bot", (it) => {
  it.effect(
    "and shares their number is reached by the chat, and gets a confirmation, in the last word of a batch",
    () => {
      const far = scriptInbox({ updates: [Spoke({ chatId: "7" }), share()], cursor: "c1" }, nothing("c1"))
      return Effect.gen(function* () {
        const accountId = yield* makeInbox
        assert.isNull(yield* chatOf(accountId))
        yield* arriveAt(0, 0)
        assert.strictEqual(yield* chatOf(accountId), "7")
        assert.deepStrictEqual(
          far.replies.map(({ chatId, reply }) => [chatId, reply.shareButton]),
          [["7", null]]
        )
      }).pipe(Effect.provide(processWith(far.inbox)))
    }
  )

  it.effect("and says the same again and again is answered once a minute", () => {
    const spoke = bareBatch(Spoke({ chatId: "7" }))
    const far = scriptInbox(spoke)
    return Effect.gen(function* () {
      yield* makeInbox
      for (let second = 0; second < 60; second++) yield* arriveAt(0, second)
      assert.deepStrictEqual([far.polls.length, far.replies.length], [60, 1])
      yield* arriveAt(0, 60)
      assert.lengthOf(far.replies, 2)
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect("and is linked is not asked for the number again, and is no longer reached after leaving", () => {
    const far = scriptInbox(
      bareBatch(share()),
      bareBatch(Spoke({ chatId: "7" })),
      bareBatch(Left({ chatId: "7" })),
      bareBatch(Spoke({ chatId: "7" }))
    )
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      yield* arriveAt(0, 0)
      yield* arriveAt(0, 1)
      assert.isNull(far.replies[1]?.reply.shareButton)
      assert.strictEqual(yield* chatOf(accountId), "7")
      yield* arriveAt(0, 2)
      assert.isNull(yield* chatOf(accountId))
      assert.lengthOf(far.replies, 2)
      yield* arriveAt(0, 3)
      assert.isNotNull(far.replies[2]?.reply.shareButton)
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect("and shares the number of somebody else links nobody", () => {
    const far = scriptInbox(bareBatch(share("7", { isOwn: false })), nothing("c1"))
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      yield* arriveAt(0, 0)
      assert.isNull(yield* chatOf(accountId))
      assert.lengthOf(far.replies, 1)
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect(
    "and shares from another chat what is proven to be theirs is reached by that, of this account only",
    () => {
      const far = scriptInbox(bareBatch(share("7")), bareBatch(share("8")), bareBatch(Left({ chatId: "7" })))
      return Effect.gen(function* () {
        const accountId = yield* makeInbox
        for (const at of [0, 1, 2]) yield* arriveAt(0, at)
        assert.strictEqual(yield* chatOf(accountId), "8")
        assert.isNull(yield* chatOf(accountId + 1))
      }).pipe(Effect.provide(processWith(far.inbox)))
    }
  )

  it.effect(
    "and shares what another chat has linked, unproven, does not take it over, and gets that answer",
    () => {
      const unproven = { isProven: false }
      const far = scriptInbox(
        bareBatch(share("7", unproven)),
        bareBatch(share("8", unproven)),
        bareBatch(share("7", unproven))
      )
      return Effect.gen(function* () {
        const accountId = yield* makeInbox
        for (const at of [0, 1]) yield* arriveAt(0, at)
        assert.strictEqual(yield* chatOf(accountId), "7")
        const [done, taken] = far.replies.map(({ reply }) => reply.text)
        assert.isString(taken)
        assert.notStrictEqual(taken, done)
        yield* arriveAt(0, 61)
        assert.strictEqual(far.replies[2]?.reply.text, done)
      }).pipe(Effect.provide(processWith(far.inbox)))
    }
  )

  it.effect("and shares another number of theirs later is reached under that one alone", () => {
    const far = scriptInbox(bareBatch(share("7")), bareBatch(shareOther("7")))
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      for (const at of [0, 1]) yield* arriveAt(0, at)
      assert.deepStrictEqual([yield* chatOf(accountId), yield* chatOf(accountId, OTHER)], [null, "7"])
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  const failures = {
    refused: ProviderOutcome.Rejected({ blame: "recipient", providerError: "blocked", isContactLost: true }),
    throttled: ProviderOutcome.Throttled({ retryAfterMillis: 1, providerError: "429" }),
    lost: ProviderOutcome.Unknown({ providerError: "reset" })
  }
  for (const [name, outcome] of Object.entries(failures)) {
    it.effect(`and gets no reply, which was ${name}, is linked, and so are those who come after`, () => {
      const far = scriptInbox({ updates: [share(), shareOther("9")], cursor: "c1" }, nothing("c1"))
      far.script.reply = Effect.succeed(outcome)
      return Effect.gen(function* () {
        const accountId = yield* makeInbox
        yield* arriveAt(0, 0)
        assert.deepStrictEqual([yield* chatOf(accountId), yield* chatOf(accountId, OTHER)], ["7", "9"])
        // Asked to slow down, it is silent.
        assert.lengthOf(far.replies, outcome._tag === "Throttled" ? 1 : 2)
        assert.strictEqual((yield* inboxState(accountId))?.cursor, "c1")
      }).pipe(Effect.provide(processWith(far.inbox)))
    })
  }

  it.effect("while the account was asked to slow down is linked, and answered when that is over", () => {
    const far = scriptInbox(bareBatch(share()), bareBatch(shareOther("9")), bareBatch(Spoke({ chatId: "9" })))
    far.script.reply = Effect.succeed(
      ProviderOutcome.Throttled({ retryAfterMillis: 5_000, providerError: "429" })
    )
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      for (const at of [0, 1, 4.999]) yield* arriveAt(0, at)
      assert.strictEqual(yield* chatOf(accountId, OTHER), "9")
      assert.lengthOf(far.replies, 1)
      yield* arriveAt(0, 6)
      assert.deepStrictEqual(
        far.replies.map(({ chatId }) => chatId),
        ["7", "9"]
      )
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect("and breaks the adapter by it is linked, and the batch does not come again", () => {
    const far = scriptInbox(bareBatch(share()), nothing("c2"))
    far.script.reply = Effect.die("a bug in the adapter")
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      yield* arriveAt(0, 0)
      assert.strictEqual(yield* chatOf(accountId), "7")
      assert.deepStrictEqual(yield* inboxState(accountId), { cursor: "c1", dueAt: 1_000, isLeased: false })
      yield* arriveAt(0, 1)
      assert.deepStrictEqual(far.asked(), [
        [0, null],
        [1, "c1"]
      ])
    }).pipe(Effect.provide(processWith(far.inbox)))
  })
})

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
