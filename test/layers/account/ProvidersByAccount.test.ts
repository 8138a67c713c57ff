import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { Phone } from "../../../src/domain/Phone.ts"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { ProvidersByAccount } from "../../../src/layers/provider/ConnectedAccounts.ts"
import { AccountConnections, AccountUnusable } from "../../../src/services/account/AccountSlots.ts"
import { ContactLinks } from "../../../src/services/account/Contacts.ts"
import type { Addressed } from "../../../src/services/provider/ProviderAdapter.ts"
import { type CodeDelivery, Providers, type TextDelivery } from "../../../src/services/provider/Providers.ts"
import { CODE, delivery, PHONE, TEXT } from "../provider/kit/AdapterTest.ts"
import { type Connect, connectionWith, scriptConnections } from "../../support/ScriptedConnections.ts"

const { Accepted, Rejected, Throttled, Unavailable, Unknown } = ProviderOutcome

const ACCOUNT = 1
const sent = Accepted({ messageId: "m-1" })

const { chatId: _, ...code } = delivery("telegram")
const text: TextDelivery = {
  attemptId: code.attemptId,
  customerId: code.customerId,
  step: code.step,
  phone: code.phone,
  text: Redacted.make("سلام، 047113 چیست؟")
}

/** Links that tests change, and how often they were looked at. */
const scriptLinks = (chats: Map<string, string>, find: Effect.Effect<void> = Effect.void) => {
  const asked: Array<string> = []
  const unlinked: Array<string> = []
  const script = { unlink: Effect.void as Effect.Effect<void> }
  const keyOf = (accountId: number, phone: string) => `${accountId} ${phone}`
  const layer = Layer.succeed(
    ContactLinks,
    ContactLinks.of({
      chatOf: (accountId, phone) =>
        Effect.sync(() => {
          asked.push(keyOf(accountId, phone))
          return chats.get(keyOf(accountId, phone)) ?? null
        }).pipe(Effect.tap(() => find)),
      link: () => Effect.die("nobody is linked by a send"),
      linkOwn: () => Effect.die("nobody is linked by a send"),
      isLinked: () => Effect.die("nobody asks by chat"),
      unlinkChat: (accountId, chatId) =>
        Effect.andThen(
          script.unlink,
          Effect.sync(() => void unlinked.push(`${accountId} ${chatId}`))
        )
    })
  )
  return { asked, unlinked, script, layer }
}

const linked = () => scriptLinks(new Map([[`${ACCOUNT} ${PHONE}`, "42"]]))
const unlinkedBook = () => scriptLinks(new Map())

const live = (connect: Connect, links: Layer.Layer<ContactLinks> = unlinkedBook().layer) =>
  ProvidersByAccount.pipe(Layer.provide([scriptConnections(connect), links]))

/** An account that answers every send alike, and remembers what it was given. */
const scriptAccount = (outcome: ProviderOutcome | Effect.Effect<ProviderOutcome>, needsContact = false) => {
  const codes: Array<Addressed<CodeDelivery>> = []
  const texts: Array<Addressed<TextDelivery>> = []
  const answer = Effect.isEffect(outcome) ? outcome : Effect.succeed(outcome)
  const { traits } = connectionWith({})
  const connection = connectionWith({
    traits: { ...traits, needsContact },
    sendCode: (given) =>
      Effect.suspend(() => {
        codes.push(given)
        return answer
      }),
    sendText: (given) =>
      Effect.suspend(() => {
        texts.push(given)
        return answer
      })
  })
  const accounts: Array<number> = []
  const connect = (accountId: number) => {
    accounts.push(accountId)
    return connection
  }
  return { codes, texts, accounts, connect }
}

const sendCode = Effect.flatMap(Providers, (providers) => providers.sendCode(code))
const sendText = Effect.flatMap(Providers, (providers) => providers.sendText(text))

describe("a send over a connected account", () => {
  it.effect(
    "goes to that account as it is, without a chat where none is needed, and nobody is looked up",
    () => {
      const account = scriptAccount(sent)
      const links = linked()
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* sendCode, sent)
        assert.deepStrictEqual(yield* sendText, sent)
        assert.deepStrictEqual(account.codes, [{ ...code, chatId: null }])
        assert.deepStrictEqual(account.texts, [{ ...text, chatId: null }])
        assert.deepStrictEqual(account.accounts, [ACCOUNT, ACCOUNT])
        assert.deepStrictEqual(links.asked, [])
      }).pipe(Effect.provide(live(account.connect, links.layer)))
    }
  )

  it.effect("goes to the chat of the phone where the account needs one", () => {
    const account = scriptAccount(sent, true)
    const links = linked()
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* sendCode, yield* sendText], [sent, sent])
      assert.deepStrictEqual([account.codes[0]?.chatId, account.texts[0]?.chatId], ["42", "42"])
      assert.deepStrictEqual(links.asked, [`${ACCOUNT} ${PHONE}`, `${ACCOUNT} ${PHONE}`])
    }).pipe(Effect.provide(live(account.connect, links.layer)))
  })

  it.effect("to somebody who has not met the account is unreachable, without a call", () => {
    const account = scriptAccount(sent, true)
    return Effect.gen(function* () {
      for (const outcome of [yield* sendCode, yield* sendText]) {
        assert.deepInclude({ ...outcome }, { _tag: "Rejected", cause: "recipient" })
      }
      assert.deepStrictEqual([account.codes, account.texts], [[], []])
    }).pipe(Effect.provide(live(account.connect)))
  })

  it.effect("over an account that cannot be used is misconfigured, in the words of the account", () =>
    Effect.gen(function* () {
      const expected = Rejected({ cause: "configuration", providerError: "the token is missing" })
      assert.deepStrictEqual(yield* sendCode, expected)
      assert.deepStrictEqual(yield* sendText, expected)
    }).pipe(Effect.provide(live(() => new AccountUnusable({ message: "the token is missing" }))))
  )

  it.effect("is unavailable, and nothing left, when the store cannot read the account", () => {
    const broken = Layer.succeed(
      AccountConnections,
      AccountConnections.of({ of: () => Effect.die(new Error("connection terminated 09123456789")) })
    )
    return Effect.gen(function* () {
      const outcome = yield* sendCode
      assert.strictEqual(outcome._tag, "Unavailable")
      assert.notInclude(JSON.stringify(outcome), "terminated")
    }).pipe(Effect.provide(ProvidersByAccount.pipe(Layer.provide([broken, unlinkedBook().layer]))))
  })

  it.effect("is unavailable, and nothing left, when the store cannot read the contact", () => {
    const account = scriptAccount(sent, true)
    const links = scriptLinks(new Map([[`${ACCOUNT} ${PHONE}`, "42"]]), Effect.die("no connection"))
    return Effect.gen(function* () {
      assert.strictEqual((yield* sendText)._tag, "Unavailable")
      assert.deepStrictEqual(account.texts, [])
    }).pipe(Effect.provide(live(account.connect, links.layer)))
  })

  it.effect("whose adapter breaks does not count as unavailable: it may have left", () => {
    const account = scriptAccount(Effect.die("a bug in the adapter"))
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(sendCode)
      assert.strictEqual(exit._tag, "Failure")
      assert.lengthOf(account.codes, 1)
    }).pipe(Effect.provide(live(account.connect)))
  })

  it.effect("can be interrupted while the account is being read, without an outcome", () => {
    const begun = Deferred.makeUnsafe<void>()
    const slow = Layer.succeed(
      AccountConnections,
      AccountConnections.of({ of: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) })
    )
    return Effect.gen(function* () {
      const sending = yield* Effect.forkChild(sendCode)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(sending)
      assert.strictEqual((yield* Fiber.await(sending))._tag, "Failure")
    }).pipe(Effect.provide(ProvidersByAccount.pipe(Layer.provide([slow, unlinkedBook().layer]))))
  })
})

describe("a contact", () => {
  const lost = Rejected({ cause: "recipient", providerError: "403 blocked", isContactLost: true })

  it.effect("that the provider says is lost is dropped, and the outcome is reported", () => {
    const account = scriptAccount(lost, true)
    const links = linked()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* sendCode, lost)
      assert.deepStrictEqual(links.unlinked, [`${ACCOUNT} 42`])
      assert.deepStrictEqual(yield* sendText, lost)
      assert.lengthOf(links.unlinked, 2)
    }).pipe(Effect.provide(live(account.connect, links.layer)))
  })

  it.effect("that could not be dropped does not change the outcome", () => {
    const account = scriptAccount(lost, true)
    const links = linked()
    links.script.unlink = Effect.die("no connection")
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* sendCode, lost)
    }).pipe(Effect.provide(live(account.connect, links.layer)))
  })

  it.effect("is kept after any other outcome", () => {
    const others = [
      sent,
      Rejected({ cause: "recipient", providerError: "no" }),
      Rejected({ cause: "recipient", providerError: "no", isContactLost: false }),
      Rejected({ cause: "configuration", providerError: "no" }),
      Throttled({ retryAfterMillis: null, providerError: "no" }),
      Unavailable({ providerError: "no" }),
      Unknown({ providerError: "no" })
    ]
    const links = linked()
    return Effect.gen(function* () {
      for (const outcome of others) {
        const account = scriptAccount(outcome, true)
        const sending = Effect.provide(sendCode, live(account.connect, links.layer), { local: true })
        assert.deepStrictEqual(yield* sending, outcome)
      }
      assert.deepStrictEqual(links.unlinked, [])
    })
  })

  it.effect("of an account that needs none is none that could be lost", () => {
    const account = scriptAccount(lost)
    const links = linked()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* sendCode, lost)
      assert.deepStrictEqual(links.unlinked, [])
    }).pipe(Effect.provide(live(account.connect, links.layer)))
  })
})

describe("what a provider says of a send", () => {
  const national = PHONE.slice(3)
  const repeated = [PHONE, `0${national}`, `98${national}`, `0098${national}`, national]

  it.effect("is shown without the phone, the text and the code", () => {
    const words = `bad: ${TEXT} / ${CODE} to ${repeated.join(", ")}`
    const masked = repeated.map(() => "+98912•••6789").join(", ")
    const outcomes = [
      Rejected({ cause: "request", providerError: words }),
      Throttled({ retryAfterMillis: 7, providerError: words }),
      Unavailable({ providerError: words }),
      Unknown({ providerError: words })
    ]
    return Effect.gen(function* () {
      for (const outcome of outcomes) {
        const account = scriptAccount(outcome)
        const told = yield* Effect.provide(sendCode, live(account.connect), { local: true })
        assert.deepEqual({ ...told }, { ...outcome, providerError: `bad: ••• / ••• to ${masked}` })
      }
    })
  })

  it.effect("of a message is shown without its text, and without the numbers in it that can be codes", () => {
    const own = Redacted.value(text.text)
    const account = scriptAccount(Unknown({ providerError: `${own} | 047113 | ${PHONE}` }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* sendText, Unknown({ providerError: "••• | ••• | +98912•••6789" }))
    }).pipe(Effect.provide(live(account.connect)))
  })

  it.effect("is shown with the phone of somebody else, and an id is not touched", () => {
    const other = Phone.make("+989351234567")
    const account = scriptAccount(Unknown({ providerError: `busy with ${other}` }))
    const accepting = scriptAccount(Accepted({ messageId: `${CODE}-${PHONE}` }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* Effect.provide(sendCode, live(account.connect), { local: true }),
        Unknown({ providerError: `busy with ${other}` })
      )
      assert.deepStrictEqual(
        yield* Effect.provide(sendCode, live(accepting.connect), { local: true }),
        Accepted({ messageId: `${CODE}-${PHONE}` })
      )
    })
  })
})
