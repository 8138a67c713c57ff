import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { CustomerConfiguration, SendingAccount } from "../../../src/domain/customer/Customer.ts"
import { withPrices } from "../../../src/domain/money/Charging.ts"
import { resolveMessageRoute } from "../../../src/domain/routing/MessageRoute.ts"
import { resolveRoute, resolveSandboxRoute } from "../../../src/domain/routing/RouteResolution.ts"
import type { StepRequest } from "../../../src/domain/routing/RouteRequest.ts"

const account = (
  id: number,
  channel: SendingAccount["channel"],
  part: Partial<SendingAccount> = {}
): SendingAccount => ({
  id,
  channel,
  provider: "kavenegar",
  label: "An account",
  isDefault: false,
  active: true,
  shared: false,
  sendsCodes: true,
  sendsTexts: channel !== "voice",
  deduplicatesCodes: false,
  deduplicatesTexts: false,
  reportsDelivery: false,
  needsContact: false,
  ...part
})

const voice = account(1, "voice")
const sms = account(2, "sms")
const shared = account(101, "voice", { shared: true })

interface Accounts {
  readonly own: ReadonlyArray<SendingAccount>
  readonly shared?: ReadonlyArray<SendingAccount>
  readonly plan?: CustomerConfiguration["plan"]
}

const customer = ({ own, shared: ofPlatform = [], plan = "start" }: Accounts): CustomerConfiguration => ({
  customerId: 1,
  plan,
  webOtpHost: null,
  webOtpOrigins: [],
  appHash: null,
  brand: null,
  locale: "fa",
  limits: {},
  accounts: own,
  sharedAccounts: ofPlatform,
  routing: [{ channel: "sms" }, { channel: "voice" }],
  routingTemplates: []
})

const byCall: ReadonlyArray<StepRequest> = [{ channel: "voice" }]
const bySharedCall: ReadonlyArray<StepRequest> = [{ channel: "voice", sender: "shared" }]

const code = (accounts: Accounts, channels?: ReadonlyArray<StepRequest>) =>
  Result.match(resolveRoute({ channels }, customer(accounts)), {
    onSuccess: (route): unknown => route.map(({ account_id }) => account_id),
    onFailure: ({ _tag }): unknown => _tag
  })

describe("a code by a call", () => {
  it("goes through the customer's account, whether the request or the saved order names the channel", () => {
    assert.deepStrictEqual(code({ own: [voice] }, byCall), [1])
    assert.deepStrictEqual(code({ own: [voice, sms] }), [2, 1])
  })

  it("is as unknown as the contract has it for who has no active account of it", () => {
    assert.strictEqual(code({ own: [sms] }, byCall), "invalid_channel")
    assert.strictEqual(code({ own: [sms, { ...voice, active: false }] }, byCall), "invalid_channel")
    assert.strictEqual(code({ own: [sms], shared: [shared] }, byCall), "invalid_channel")
  })

  it("is unavailable where the saved order has lost its account", () => {
    assert.strictEqual(code({ own: [sms, { ...voice, active: false }] }), "channel_unavailable")
  })

  it("goes through the platform's account for who may use that", () => {
    assert.deepStrictEqual(code({ own: [sms], shared: [shared] }, bySharedCall), [101])
    assert.strictEqual(
      code({ own: [sms], shared: [shared], plan: "business" }, bySharedCall),
      "shared_sender_not_allowed"
    )
    assert.strictEqual(
      code({ own: [voice], shared: [{ ...shared, active: false }] }, bySharedCall),
      "invalid_channel"
    )
  })

  it("is described by its own type, and by its provider as sms is", () => {
    const [step] = Result.getOrThrow(resolveRoute({ channels: byCall }, customer({ own: [voice] })))
    assert.deepStrictEqual(step.descriptor, {
      type: "voice",
      provider: "kavenegar",
      credential_id: 1,
      label: "An account"
    })
    assert.strictEqual(step.wait, 60)
  })

  it("has a price over the platform's account only", () => {
    const priceOf = (accounts: Accounts, channels: ReadonlyArray<StepRequest>) =>
      withPrices(Result.getOrThrow(resolveRoute({ channels }, customer(accounts))), { voice: 700 })[0].price
    assert.strictEqual(priceOf({ own: [voice] }, byCall), undefined)
    assert.strictEqual(priceOf({ own: [], shared: [shared] }, bySharedCall), 700)
  })

  it("exists in the sandbox for who has an active account", () => {
    const sandbox = (accounts: Accounts) =>
      Result.match(resolveSandboxRoute({ channels: byCall }, customer(accounts)), {
        onSuccess: ([{ descriptor }]): unknown => descriptor,
        onFailure: ({ _tag }): unknown => _tag
      })
    assert.deepStrictEqual(sandbox({ own: [voice] }), {
      type: "voice",
      provider: "voice",
      credential_id: null,
      label: "Sandbox (voice)"
    })
    assert.strictEqual(sandbox({ own: [{ ...voice, active: false }] }), "invalid_channel")
  })
})

describe("a message", () => {
  it("never goes by a call", () => {
    const route = resolveMessageRoute([{ channel: "voice" }], customer({ own: [voice, sms] }))
    assert.strictEqual(Result.isFailure(route) ? route.failure._tag : "resolved", "invalid_channel")
  })
})
