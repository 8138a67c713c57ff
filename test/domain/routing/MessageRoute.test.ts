import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import type { CustomerConfiguration, SendingAccount } from "../../../src/domain/customer/Customer.ts"
import {
  type MessageRoute,
  type MessageStepRequest,
  resolveMessageRoute
} from "../../../src/domain/routing/MessageRoute.ts"
import {
  accountFor,
  errorsOf,
  messageRouteCase,
  type MessageRouteCase,
  outcomeOf
} from "./MessageRouteCases.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(2_000) } }

const routeFor = ({ steps, configuration }: MessageRouteCase): MessageRoute | [] =>
  Result.getOrElse(resolveMessageRoute(steps, configuration), () => [])

const account = (id: number, part: Partial<SendingAccount> = {}): SendingAccount => {
  const channel = part.channel ?? "bale"
  return {
    id,
    channel,
    provider: channel === "sms" ? "smsir" : channel,
    label: `account ${id}`,
    isDefault: false,
    active: true,
    shared: false,
    sendsCodes: true,
    sendsTexts: true,
    deduplicatesCodes: false,
    deduplicatesTexts: false,
    reportsDelivery: false,
    needsContact: false,
    ...part
  }
}

const customer = (
  accounts: ReadonlyArray<SendingAccount>,
  part: Partial<CustomerConfiguration> = {}
): CustomerConfiguration => ({
  customerId: 1,
  plan: "free",
  webOtpHost: null,
  webOtpOrigins: [],
  appHash: null,
  brand: null,
  locale: "fa",
  limits: {},
  accounts,
  sharedAccounts: [],
  routing: null,
  routingTemplates: [],
  ...part
})

/** The ids of a request, or the error with its details. */
const resolve = (
  steps: ReadonlyArray<MessageStepRequest>,
  configuration: CustomerConfiguration
): ReadonlyArray<number | null> | readonly [string, unknown] =>
  Result.match(resolveMessageRoute(steps, configuration), {
    onFailure: (error) => [error._tag, "details" in error ? error.details : null] as const,
    onSuccess: (route) => route.map(({ account_id }) => account_id)
  })

describe("a resolved route of a message", () => {
  it.prop(
    "has exactly the channels that were asked for, in their order",
    [messageRouteCase],
    ([example]) => {
      if (outcomeOf(example) !== "resolved") return
      assert.deepStrictEqual<ReadonlyArray<string>>(
        routeFor(example).map(({ channel }) => channel),
        example.steps.map(({ channel }) => channel)
      )
    },
    runs
  )

  it.prop(
    "never has an account twice",
    [messageRouteCase],
    ([example]) => {
      const ids = routeFor(example).map(({ account_id }) => account_id)
      assert.strictEqual(new Set(ids).size, ids.length)
    },
    runs
  )

  it.prop(
    "sends from the customer's own active account that was named, or the only one, or the default, and describes it",
    [messageRouteCase],
    ([example]) => {
      for (const [index, step] of routeFor(example).entries()) {
        const asked = example.steps[index]
        assert.isDefined(asked)
        const expected = accountFor(asked, example.configuration)
        if (typeof expected === "string") return assert.fail(expected)
        const { id, channel, provider, label, active, shared, sendsTexts } = expected
        assert.deepStrictEqual([active, shared, sendsTexts], [true, false, true])
        assert.deepStrictEqual(step, {
          channel,
          account_id: id,
          descriptor: {
            type: channel === "sms" ? "sms" : "messenger",
            provider: channel === "sms" ? provider : channel,
            credential_id: id,
            label
          }
        })
      }
    },
    runs
  )

  it.prop(
    "depends on neither the plan, the saved routing order, the shared accounts nor what sends codes",
    [messageRouteCase],
    ([{ steps, configuration }]) => {
      const accounts = configuration.accounts.map((account) => ({ ...account, sendsCodes: false }))
      const bare = customer(accounts)
      assert.deepStrictEqual(resolve(steps, configuration), resolve(steps, bare))
    },
    runs
  )
})

describe("a request for routes of a message", () => {
  it.prop(
    "is refused exactly when the condition of an error holds, and with such an error",
    [messageRouteCase],
    ([example]) => {
      const errors = errorsOf(example)
      assert.include(errors.size === 0 ? ["resolved"] : [...errors], outcomeOf(example))
    },
    { arbitrary: { runs: propertyRuns(5_000) } }
  )

  it.effect("meets every error and success among the generated requests", () =>
    Effect.gen(function* () {
      const examples = yield* Arbitrary.sampleEffect(messageRouteCase, { count: 5_000, seed: 1 })
      const times = Map.groupBy(examples.map(outcomeOf), (outcome) => outcome)
      assert.deepStrictEqual([...times.keys()].sort(), [
        "channel_account_mismatch",
        "channel_account_not_found",
        "channel_ambiguous",
        "channel_unavailable",
        "channels_required",
        "duplicate_channel",
        "invalid_channel",
        "resolved",
        "sms_message_config_missing"
      ])
      for (const [outcome, all] of times) assert.isAbove(all.length, 20, outcome)
      const resolved = examples.filter((example) => outcomeOf(example) === "resolved")
      const channels = resolved.map(({ steps }) => steps.map(({ channel }) => channel))
      assert.isAbove(channels.filter(({ length }) => length > 1).length, 100)
      assert.isAbove(channels.filter((names) => names.includes("telegram")).length, 50)
      assert.isAbove(channels.filter((names) => new Set(names).size < names.length).length, 10)
    })
  )

  it.each(["pigeon", "", "Bale", "BALE", " bale", "smsir", "__proto__", "constructor", "بله"])(
    "is invalid_channel when it names %j",
    (channel) => {
      assert.deepStrictEqual(resolve([{ channel }], customer([account(1)])), ["invalid_channel", { channel }])
    }
  )

  it("is invalid_channel for an unknown name behind good ones, whatever else is wrong", () => {
    const steps = [{ channel: "bale" }, { channel: "bale" }, { channel: "pigeon" }]
    assert.deepStrictEqual(resolve(steps, customer([])), ["invalid_channel", { channel: "pigeon" }])
  })

  it("is channels_required without channels", () => {
    assert.deepStrictEqual(resolve([], customer([account(1)])), ["channels_required", null])
  })

  it("is duplicate_channel when it has the same name twice", () => {
    const steps = [{ channel: "bale" }, { channel: "bale" }]
    assert.deepStrictEqual(resolve(steps, customer([account(1)])), ["duplicate_channel", { channel: "bale" }])
  })

  it("is duplicate_channel when it has the same name twice, whether the channel has an account or not", () => {
    const steps = [{ channel: "bale" }, { channel: "bale" }]
    assert.deepStrictEqual(resolve(steps, customer([])), ["duplicate_channel", { channel: "bale" }])
  })

  it("is duplicate_channel when it has the same account twice", () => {
    const steps = [
      { channel: "bale", account_id: 1 },
      { channel: "bale", account_id: 1 }
    ]
    assert.deepStrictEqual(resolve(steps, customer([account(1), account(2)])), [
      "duplicate_channel",
      { channel: "bale" }
    ])
  })

  it("is duplicate_channel when it has the same account by name and by id, in any order", () => {
    const steps = [{ channel: "bale" }, { channel: "bale", account_id: 2 }]
    const configuration = customer([account(1), account(2, { isDefault: true })])
    const expected = ["duplicate_channel", { channel: "bale" }] as const
    assert.deepStrictEqual(resolve(steps, configuration), expected)
    assert.deepStrictEqual(resolve(steps.toReversed(), configuration), expected)
  })

  it("may have a channel twice with different accounts", () => {
    const steps = [{ channel: "bale", account_id: 2 }, { channel: "sms" }, { channel: "bale", account_id: 1 }]
    const configuration = customer([account(1), account(2), account(3, { channel: "sms" })])
    assert.deepStrictEqual(resolve(steps, configuration), [2, 3, 1])
  })

  it("may have a channel by name for its default and by id for another", () => {
    const steps = [{ channel: "bale" }, { channel: "bale", account_id: 1 }]
    assert.deepStrictEqual(resolve(steps, customer([account(1), account(2, { isDefault: true })])), [2, 1])
  })

  it("may name telegram, which carries no codes", () => {
    const telegram = account(5, { channel: "telegram", sendsCodes: false })
    assert.deepStrictEqual(resolve([{ channel: "telegram" }], customer([telegram])), [5])
  })

  it("is channel_ambiguous, with the accounts, when several serve the channel and none is the default", () => {
    const configuration = customer([account(1), account(2, { active: false }), account(3)])
    assert.deepStrictEqual(resolve([{ channel: "bale" }], configuration), [
      "channel_ambiguous",
      { channel: "bale", account_ids: [1, 3] }
    ])
  })

  it("goes to the only active account though a default one is switched off", () => {
    const configuration = customer([account(1, { isDefault: true, active: false }), account(2)])
    assert.deepStrictEqual(resolve([{ channel: "bale" }], configuration), [2])
  })

  it("is channel_ambiguous when the default of several is switched off", () => {
    const off = account(1, { isDefault: true, active: false })
    const [code] = resolve([{ channel: "bale" }], customer([off, account(2), account(3)]))
    assert.strictEqual(code, "channel_ambiguous")
  })

  it("is channel_unavailable for a customer without any account, and never no_credentials", () => {
    assert.deepStrictEqual(resolve([{ channel: "sms" }], customer([])), [
      "channel_unavailable",
      { channel: "sms" }
    ])
  })

  it("is channel_unavailable when the only account of a channel is shared", () => {
    const shared = customer([], { plan: "start", sharedAccounts: [account(101, { shared: true })] })
    assert.deepStrictEqual(resolve([{ channel: "bale" }], shared), [
      "channel_unavailable",
      { channel: "bale" }
    ])
  })

  it("is channel_account_not_found for the id of a shared account", () => {
    const shared = customer([account(1)], { plan: "start", sharedAccounts: [account(101, { shared: true })] })
    assert.deepStrictEqual(resolve([{ channel: "bale", account_id: 101 }], shared), [
      "channel_account_not_found",
      { account_id: 101 }
    ])
  })

  it("is sms_message_config_missing when an account lacks what a text needs, though it sends codes", () => {
    const incomplete = account(4, { channel: "sms", sendsTexts: false, sendsCodes: true })
    const steps = [{ channel: "bale" }, { channel: "sms" }]
    assert.deepStrictEqual(resolve(steps, customer([account(1), incomplete])), [
      "sms_message_config_missing",
      { account_id: 4, settings: ["line_number"] }
    ])
  })
})
