import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type StandbyAccount, standbyProblem } from "../../../src/domain/account/Standby.ts"
import { textOrNull } from "../../../src/domain/ProblemTexts.ts"
import type { CustomerConfiguration, SendingAccount } from "../../../src/domain/customer/Customer.ts"
import { resolveRoute } from "../../../src/domain/routing/RouteResolution.ts"
import { validitySeconds } from "../../../src/domain/verification/CodeRules.ts"

const account = (id: number, standby: ReadonlyArray<number>, part: Partial<SendingAccount> = {}) => ({
  id,
  channel: "sms" as const,
  provider: "simulator",
  label: `account ${id}`,
  isDefault: id === 1,
  active: true,
  shared: false,
  sendsCodes: true,
  sendsTexts: true,
  deduplicatesCodes: false,
  deduplicatesTexts: false,
  reportsDelivery: false,
  needsContact: false,
  standby,
  ...part
})

const bale = account(9, [], { channel: "bale" })

const routeOf = (accounts: ReadonlyArray<SendingAccount>) => {
  const configuration: CustomerConfiguration = {
    customerId: 1,
    plan: "start",
    webOtpHost: null,
    webOtpOrigins: [],
    appHash: null,
    brand: null,
    locale: "fa",
    limits: {},
    accounts: [...accounts, bale],
    sharedAccounts: [],
    routing: [{ channel: "sms", wait: 45 }, { channel: "bale" }],
    routingTemplates: []
  }
  return Result.getOrThrow(resolveRoute({}, configuration))
}

const idsOf = (accounts: ReadonlyArray<SendingAccount>) =>
  routeOf(accounts).map(({ account_id, standby }) => [account_id, standby === true])

describe("a code's route", () => {
  it("has the standby accounts behind their account, in their order, and each with those behind it", () => {
    const accounts = [account(1, [3, 2]), account(2, []), account(3, [4]), account(4, [])]
    assert.deepStrictEqual(idsOf(accounts), [
      [1, false],
      [3, true],
      [4, true],
      [2, true],
      [9, false]
    ])
  })

  it("has none that is switched off, gone, or sends no codes", () => {
    const accounts = [
      account(1, [2, 3, 77, 4]),
      account(2, [], { active: false }),
      account(3, [], { sendsCodes: false }),
      account(4, [])
    ]
    assert.deepStrictEqual(idsOf(accounts), [
      [1, false],
      [4, true],
      [9, false]
    ])
  })

  it("has what each account's own provider can do, and the wait of the channel", () => {
    const [, standby] = routeOf([
      account(1, [2], { deduplicatesCodes: true, reportsDelivery: true }),
      account(2, [])
    ])
    assert.deepStrictEqual(standby, {
      channel: "sms",
      account_id: 2,
      descriptor: { type: "sms", provider: "simulator", credential_id: 2, label: "account 2" },
      wait: 45,
      standby: true
    })
  })

  it("is valid no longer because of them", () => {
    assert.strictEqual(
      validitySeconds(routeOf([account(1, [2, 3]), account(2, []), account(3, [])])),
      validitySeconds(routeOf([account(1, [])]))
    )
  })
})

describe("standby accounts are refused", () => {
  const all = [account(1, []), account(2, [3]), account(3, []), account(4, [], { sendsCodes: false }), bale]
  const one = all[0] ?? bale
  const refusal = (of: StandbyAccount, wanted: ReadonlyArray<number>) =>
    textOrNull(standbyProblem(of, wanted, all))

  it("when one of them does not exist, is on another channel, sends no codes, or is named twice", () => {
    assert.strictEqual(refusal(one, [77]), "there is no account 77")
    assert.strictEqual(refusal(one, [9]), "account 9 is on bale")
    assert.strictEqual(refusal(one, [4]), "account 4 sends no codes")
    assert.strictEqual(refusal(one, [2, 2]), "an account is named twice")
  })

  it("when an account would stand by for itself, directly or through others", () => {
    assert.strictEqual(refusal(one, [1]), "account 1 would stand by for itself")
    const three = all[2] ?? bale
    assert.strictEqual(refusal(three, [2]), "account 3 would stand by for itself")
  })

  it("and not when they form a chain, or are taken away", () => {
    assert.isNull(refusal(one, [2]))
    assert.isNull(refusal(one, [3, 2]))
    assert.isNull(refusal(one, []))
  })
})
