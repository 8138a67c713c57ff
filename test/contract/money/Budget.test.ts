import { beforeAll, describe, expect, it } from "vitest"
import { issues, ok, otp } from "../Client.ts"
import { manage } from "../Manager.ts"
import { newAccount, newCustomer, newSecret } from "../Operator.ts"
import { type Manager, newManager, readerOf } from "../ManagedSetUp.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

interface Budget {
  readonly amount: number | null
  readonly calendar: string | null
  readonly month: string | null
  readonly spent: number | null
  readonly currency: string
}

const NONE = { amount: null, calendar: null, month: null, spent: null, currency: "IRR" }

let server: SharedServer
let manager: Manager & { readonly customerId: string }
beforeAll(async () => {
  server = await sharedServerWithDemo()
  manager = await newManager(server)
})

const call = (method: string, body?: unknown, token = manager.token) =>
  manage(server, method, "/wallet/budget", { authorization: `apikey ${token}` }, body)
const budget = async (method = "GET", body?: unknown) => ok<Budget>(await call(method, body))

describe("the monthly budget", () => {
  it("is none at first, is set, changed in parts, and taken back", async () => {
    expect(await budget()).toEqual(NONE)
    const month = expect.stringMatching(/^14\d\d-\d\d$/)
    const first = { amount: 5000, calendar: "jalali", month, spent: 0, currency: "IRR" }
    expect(await budget("PATCH", { amount: 5000 })).toEqual(first)
    expect(await budget()).toEqual(first)
    const gregorian = await budget("PATCH", { calendar: "gregorian" })
    expect(gregorian).toMatchObject({ amount: 5000, calendar: "gregorian" })
    expect(gregorian.month).toMatch(/^20\d\d-\d\d$/)
    expect(await budget("PATCH", { amount: 6000 })).toMatchObject({ amount: 6000, calendar: "gregorian" })
    expect(await budget("PATCH", {})).toMatchObject({ amount: 6000, calendar: "gregorian" })
    expect(await budget("PATCH", { amount: null })).toEqual(NONE)
  })

  it("refuses what is no amount, and a calendar for no amount", async () => {
    for (const amount of [0, -1, 1.5, "5000", 1e13])
      expect(issues(await call("PATCH", { amount })), String(amount)).toEqual(["body.amount"])
    expect(issues(await call("PATCH", { calendar: "lunar" }))).toEqual(["body.calendar"])
    expect(issues(await call("PATCH", { calendar: "jalali" }))).toEqual(["body.amount"])
    expect(issues(await call("PATCH", { limit: 5000 }))).toEqual(["body.limit"])
    expect(await budget()).toEqual(NONE)
  })

  it("counts what the month has spent", async () => {
    const { id } = await newCustomer(server, "start")
    await server.cli("wallet", "top-up", "--customer", id, "--amount", "100000")
    await newAccount(server, id, "bale")
    await otp(server, await newSecret(server, id, "live")).sent({ channels: "bale" })
    const set = await server.cli("wallet", "budget", "set", "--customer", id, "--amount", "4000")
    expect(set).toMatchObject({ amount: 4000, calendar: "jalali", spent: 1000, currency: "IRR" })
    expect(await server.cli("wallet", "budget", "show", "--customer", id)).toEqual(set)
    const gone = await server.cli("wallet", "budget", "set", "--customer", id, "--amount", "none")
    expect(gone).toEqual(NONE)
  })

  it("is changed by those who may write, with an entry of what it was", async () => {
    const { token: reader } = await readerOf(server, manager)
    expect((await call("PATCH", { amount: 1 }, reader)).status).toBe(403)
    expect((await call("GET", undefined, reader)).status).toBe(200)
    await budget("PATCH", { amount: 7000 })
    await budget("PATCH", { amount: 8000, calendar: "gregorian" })
    const log = await manage(server, "GET", "/audit-log?limit=1", {
      authorization: `apikey ${manager.token}`
    })
    expect(ok<{ readonly data: ReadonlyArray<unknown> }>(log).data).toMatchObject([
      {
        action: "wallet.set_budget",
        details: { amount: 8000, calendar: "gregorian" },
        previous: { amount: 7000, calendar: "jalali" }
      }
    ])
  })
})
