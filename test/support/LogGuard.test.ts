import { describe, expect, it } from "vitest"
import { SMSIR_KEY } from "./fakes/FakeSmsir.ts"
import { leaksIn } from "./LogGuard.ts"

describe("the search for secrets in the logs of a run", () => {
  const secret = "A".repeat(43)
  it.each([
    ["a phone", "sms to +989121234567: Rejected"],
    ["a local phone", "sms to 09121234567: Rejected"],
    ["a phone next to an id", "message 00000000-0000-74cd-94b6-e09624067870: 09121234567"],
    ["a service key", `key svc_live_${secret} is unknown`],
    ["a token", `token svc_pat_${secret}`],
    ["a webhook secret", `signed with whsec_${secret}=`],
    ["a provider's credential", `x-api-key: ${SMSIR_KEY}`],
    ["a code in JSON", '{"code":"123456"}'],
    ["a code in the default text", "کد تأیید شما: ۱۲۳۴۵۶"]
  ])("finds %s", (_, line) => {
    expect(leaksIn(`before\n${line}\nafter`)).toHaveLength(1)
  })

  it.each([
    "sms to +98912•••4567: Rejected, 17 NotBaleUser",
    "verification 01a1ffe0-d872-7691-b337-2bb3d613f527: Unknown",
    "message 00000000-0000-74cd-94b6-e09624067870: bale to +98912•••4567",
    "trace 8d19809121234567a3ce929d0e0e4736, span d091212345679cee",
    '{"level":"INFO","timestamp":"2026-11-21T20:51:28.009Z","fiberId":"#642"}',
    '{"error":{"code":"not_found"}}'
  ])("passes %s", (line) => {
    expect(leaksIn(line)).toEqual([])
  })
})
