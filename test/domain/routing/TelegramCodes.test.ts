import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { CustomerConfiguration, SendingAccount } from "../../../src/domain/customer/Customer.ts"
import { resolveMessageRoute } from "../../../src/domain/routing/MessageRoute.ts"
import { resolveRoute } from "../../../src/domain/routing/RouteResolution.ts"
import type { StepRequest } from "../../../src/domain/routing/RouteRequest.ts"

const account = (id: number, provider: string, part: Partial<SendingAccount> = {}): SendingAccount => ({
  id,
  channel: "telegram",
  provider,
  label: "An account",
  isDefault: false,
  active: true,
  shared: false,
  sendsCodes: provider !== "telegram_bot",
  sendsTexts: provider !== "telegram_gateway",
  deduplicatesCodes: false,
  deduplicatesTexts: false,
  reportsDelivery: false,
  needsContact: false,
  ...part
})

const gateway = account(1, "telegram_gateway")
const bot = account(2, "telegram_bot")
const sms = account(3, "smsir", { channel: "sms", sendsTexts: true })

const customer = (accounts: ReadonlyArray<SendingAccount>): CustomerConfiguration => ({
  customerId: 1,
  plan: "start",
  webOtpHost: null,
  webOtpOrigins: [],
  appHash: null,
  brand: null,
  locale: "fa",
  limits: {},
  accounts,
  sharedAccounts: [],
  routing: [{ channel: "telegram" }],
  routingTemplates: []
})

const code = (accounts: ReadonlyArray<SendingAccount>, channels?: ReadonlyArray<StepRequest>) =>
  Result.match(resolveRoute({ channels }, customer(accounts)), {
    onSuccess: (route): unknown => route.map(({ account_id }) => account_id),
    onFailure: ({ _tag }): unknown => _tag
  })

const text = (accounts: ReadonlyArray<SendingAccount>, account_id?: number) =>
  Result.match(resolveMessageRoute([{ channel: "telegram", account_id }], customer(accounts)), {
    onSuccess: (route): unknown => route.map((step) => step.account_id),
    onFailure: ({ _tag }): unknown => _tag
  })

describe("a code over telegram", () => {
  it("goes through the gateway, whether the request or the saved order names the channel", () => {
    assert.deepStrictEqual(code([gateway]), [1])
    assert.deepStrictEqual(code([gateway, sms], [{ channel: "telegram" }, { channel: "sms" }]), [1, 3])
  })

  it("never goes through a bot, not even through the channel's default", () => {
    assert.deepStrictEqual(code([{ ...bot, isDefault: true }, gateway]), [1])
    assert.strictEqual(code([bot]), "channel_unavailable")
    assert.strictEqual(
      code([bot, gateway], [{ channel: "telegram", account_id: bot.id }]),
      "channel_unavailable"
    )
  })

  it("goes through no other account of that channel", () => {
    for (const provider of ["bridge", "simulator"]) {
      assert.strictEqual(code([account(1, provider)]), "channel_unavailable")
    }
  })

  it("goes through no gateway that is switched off", () => {
    assert.strictEqual(code([{ ...gateway, active: false }, sms]), "channel_unavailable")
  })

  it("is as unknown as the contract has it for who has no account there", () => {
    assert.strictEqual(code([sms]), "invalid_channel")
  })

  it("is ambiguous with two gateways and no default", () => {
    assert.strictEqual(code([gateway, { ...gateway, id: 7 }]), "channel_ambiguous")
    assert.deepStrictEqual(code([gateway, { ...gateway, id: 7, isDefault: true }]), [7])
  })
})

describe("a text over telegram", () => {
  it("goes through the bot and never through the gateway", () => {
    assert.deepStrictEqual(text([{ ...gateway, isDefault: true }, bot]), [2])
    assert.strictEqual(text([gateway]), "channel_unavailable")
    assert.strictEqual(text([gateway, bot], gateway.id), "channel_unavailable")
  })
})
