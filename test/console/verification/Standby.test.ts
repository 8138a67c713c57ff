import { beforeAll, describe, expect, it } from "vitest"
import { signedIn, wordsOf } from "../Visitor.ts"
import { otp } from "../../contract/Client.ts"
import { newAccount, newCustomer } from "../../contract/Operator.ts"
import { until } from "../../contract/Server.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

describe("the page of a code whose account has a standby", () => {
  /** A customer whose SMS account behaves so, with the accounts that stand by. */
  const withStandby = async (outcome: string, standby: ReadonlyArray<string>) => {
    const made = await newCustomer(server, "business")
    const account = await newAccount(server, made.id, "sms", {
      label: "First",
      settings: { outcome },
      isDefault: true
    })
    const others = await Promise.all(standby.map((label) => newAccount(server, made.id, "sms", { label })))
    await server.cli("account", "standby", "--account", String(account), "--by", others.join(","))
    const visitor = await signedIn(server, made.id, "viewer")
    const { verification_id: id } = await otp(server, made.live).sent({ channels: "sms" })
    return until("an attempt of each account that was needed", async () => {
      const words = wordsOf(await visitor.get(`/console/verifications/${id}`))
      return words.includes("not needed.") ? words : undefined
    })
  }

  it("calls a standby that was not needed no failure", async () => {
    const words = await withStandby("accepted", ["Second"])
    expect(words).toContain("Route: SMS (standby Second )")
    expect(words).toContain("Standby: Second , not needed.")
    expect(words).not.toContain("was skipped")
  })

  it("says that one took over, and that the next was not needed", async () => {
    const words = await withStandby("unavailable", ["Second", "Third"])
    expect(words).toContain("Route: SMS (standby Second , Third )")
    expect(words).toContain("Tried because SMS failed.")
    expect(words).toContain("Standby: Third , not needed.")
    expect(words).not.toContain("was skipped")
  })

  it("does not say that nothing was sent where the outcome is unknown", async () => {
    const words = await withStandby("unknown", ["Second"])
    expect(words).toContain("The code may have been sent over SMS. It has not been entered yet.")
    expect(words).not.toContain("Nothing has been sent yet")
    expect(words).toContain("Standby: Second , not needed.")
  })
})
