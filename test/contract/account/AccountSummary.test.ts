import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ok, otp, request, timestamp } from "../Client.ts"
import { managedCustomer } from "../ManagedCustomer.ts"
import { customerWith } from "../Operator.ts"
import { type Server, startServer } from "../Server.ts"

interface Account {
  readonly customer: { readonly id: number; readonly name: string; readonly plan: string }
  readonly mode: string
  readonly limits: Readonly<Record<string, number>>
  readonly prices: Readonly<Record<string, number>>
  readonly quota: { readonly limit: number; readonly used: number; readonly resets_at: string } | null
  readonly wallet: Readonly<Record<string, unknown>> | null
}

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { PEYK_LIMIT_PHONE_HOUR: "7", PEYK_LIMIT_KEY_MINUTE: "900" } })
})
afterAll(() => server?.stop())

const account = async (key: string) =>
  ok<Account>(await request(server, "GET", "/v1/account", { headers: { "x-api-key": key } }))

describe("the account", () => {
  it("of a free plan has limits, no price, what is used of the quota, and no wallet", async () => {
    const customer = await customerWith(server, { bale: undefined })
    const before = await account(customer.live)
    expect(before).toEqual({
      customer: { id: Number(customer.id), name: "Test free", plan: "free" },
      mode: "live",
      limits: {
        key_minute: 900,
        phone_hour: 7,
        phone_day: 10,
        message_phone_hour: 30,
        message_phone_day: 100,
        platform_phone_day: 50
      },
      prices: { eitaa: 0, bale: 0, soroushplus: 0, rubika: 0, telegram: 0, sms: 0 },
      quota: { limit: 300, used: 0, resets_at: expect.stringMatching(timestamp) },
      wallet: null
    })
    await otp(server, customer.live).sent({ channels: "bale" })
    expect((await account(customer.live)).quota?.used).toBe(1)
  })

  it("of a charged plan has prices and the wallet, and no quota", async () => {
    const { customer, get } = await managedCustomer(server)
    await otp(server, customer.live).sent({ channels: "eitaa" })
    const { prices, quota, wallet } = await account(customer.live)
    expect({ prices, quota }).toEqual({
      prices: { eitaa: 1000, bale: 1000, soroushplus: 1000, rubika: 1000, telegram: 1000, sms: 0 },
      quota: null
    })
    expect(wallet).toEqual({ balance: 99_000, held: 0, available: 99_000, currency: "IRR" })
    expect(ok<Account>(await get("account"))).toEqual(await account(customer.live))
  })

  it("says the mode of the key that asks", async () => {
    const customer = await customerWith(server, { bale: undefined })
    expect(await account(customer.test)).toEqual({ ...(await account(customer.live)), mode: "test" })
  })
})
