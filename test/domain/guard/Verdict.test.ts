import { assert, describe, it } from "@effect/vitest"
import { defaultGuard } from "../../../src/domain/guard/GuardSettings.ts"
import {
  type RequestedCode,
  endedAlarms,
  type GuardSetUp,
  verdictOf
} from "../../../src/domain/guard/Verdict.ts"
import { Phone } from "../../../src/domain/Phone.ts"

const HOUR = 3_600_000

describe("the verdict", () => {
  const phone = Phone.make("+989121234567")
  const asked: RequestedCode = { phone, ip: null, isTrusted: false, traces: { network: "n", device: null } }
  const alarm = {
    kind: "network",
    key: "n",
    reason: "unverified",
    action: "refuse",
    startedAt: 0,
    until: 1000
  } as const
  const setUp = (given: Partial<GuardSetUp>): GuardSetUp => ({
    ...defaultGuard,
    entries: [],
    alarms: [],
    ...given
  })
  const verdict = (given: Partial<GuardSetUp>, code: Partial<RequestedCode> = {}, now = 0) =>
    verdictOf(
      setUp(given),
      { ...asked, ...code },
      (ip, networks) => ip !== null && networks.includes(ip),
      now
    )
  const allow = { list: "allow", type: "prefix", value: "+98912" } as const
  const deny = { list: "deny", type: "phone", value: phone } as const

  it("lets the deny list come first, then the allow list, then alarms", () => {
    assert.strictEqual(verdict({ entries: [allow, deny], alarms: [alarm] })._tag, "Denied")
    assert.strictEqual(verdict({ entries: [allow], alarms: [alarm] })._tag, "Exempt")
    assert.strictEqual(verdict({ alarms: [alarm] }, { isTrusted: true })._tag, "Exempt")
    assert.deepInclude(verdict({ alarms: [alarm] }), { _tag: "Judged", action: "refuse" })
  })

  it("compares addresses with the networks of a list", () => {
    const entries = [{ list: "deny", type: "ip", value: "192.0.2.1" } as const]
    assert.strictEqual(verdict({ entries }, { ip: "192.0.2.1" })._tag, "Denied")
    assert.strictEqual(verdict({ entries })._tag, "Judged")
  })

  it("ends a block at its time, and suspends it in an outage", () => {
    assert.deepInclude(verdict({ alarms: [alarm] }, {}, 1000), { action: null })
    const outage = {
      kind: "customer",
      key: "",
      reason: "outage",
      action: null,
      startedAt: 0,
      until: 1000
    } as const
    assert.deepInclude(verdict({ alarms: [alarm, outage] }), { action: null, isOutage: true })
  })

  it("leaves a network on probation whose block ends in an outage", () => {
    const startedAt = 10 * 60_000
    const outage = {
      kind: "customer",
      key: "",
      reason: "outage",
      action: null,
      startedAt,
      until: HOUR
    } as const
    const alarms = [alarm, outage]
    const ended = verdict({ alarms }, {}, startedAt)
    assert.deepInclude(ended, { action: null, counted: [{ kind: "network", key: "n" }] })
    assert.deepStrictEqual(endedAlarms(alarms, true, startedAt), [])
    assert.deepStrictEqual(endedAlarms(alarms, false, startedAt), [alarm])
    const whole = { ...alarm, kind: "customer", key: "" } as const
    assert.deepStrictEqual(endedAlarms([whole, outage], true, startedAt), [whole])
  })

  it("keeps what was attacked long before an outage blocked in it, but never the customer as a whole", () => {
    const startedAt = 10 * 60_000
    const until = 60 * 60_000
    const outage = { kind: "customer", key: "", reason: "outage", action: null, startedAt, until } as const
    const old = { ...alarm, until }
    const whole = { ...old, kind: "customer", key: "" } as const
    const network = { kind: "network", key: "n" } as const
    assert.deepInclude(verdict({ alarms: [old, outage] }, {}, startedAt), {
      action: "refuse",
      counted: [network]
    })
    const usedUp = { ...old, reason: "budget" } as const
    assert.deepInclude(verdict({ alarms: [usedUp, outage] }, {}, startedAt), {
      action: null,
      counted: [network]
    })
    assert.deepInclude(verdict({ alarms: [whole, outage] }, {}, startedAt), { action: null, counted: [] })
    const young = { ...old, startedAt: 1000 }
    assert.deepInclude(verdict({ alarms: [young, outage] }, {}, startedAt), { action: null, counted: [] })
  })
})
