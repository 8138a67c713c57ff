import { beforeAll, describe, expect, it } from "vitest"
import { issues, newPhone, ok, otp, refused } from "../Client.ts"
import { type Account, ifMatch, type Manager, newManager } from "../ManagedSetUp.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

type WithStandby = Account & { readonly standby: ReadonlyArray<number> }

let server: SharedServer
let mine: Manager
let others: Manager
let first: number
let second: number
let codes: ReturnType<typeof otp>

const sms = (label: string, settings = {}) => ({ channel: "sms", provider: "simulator", label, settings })
const connected = async (of: Manager, fields: object) =>
  ok<Account>(await of.post("/accounts", fields), 201).credential_id
const put = (id: number, account_ids: unknown, headers = {}) =>
  mine.call("PUT", `/accounts/${id}/standby`, { account_ids }, headers)
const standbyOf = async (id: number) => (await mine.read<WithStandby>(`/accounts/${id}`)).standby

beforeAll(async () => {
  server = await sharedServerWithDemo()
  mine = await newManager(server)
  others = await newManager(server)
  codes = otp(server, (await mine.newKey()).secret)
  first = await connected(mine, { ...sms("first", { outcome: "unavailable" }), default: true })
  second = await connected(mine, sms("second"))
}, 60_000)

describe("the accounts that stand by for another", () => {
  it("are none until they are set, are shown, and can be taken away", async () => {
    expect(await standbyOf(first)).toEqual([])
    const set = ok<WithStandby>(await put(first, [second]))
    expect(set).toMatchObject({ credential_id: first, standby: [second] })
    expect(await standbyOf(first)).toEqual([second])
    expect(ok<WithStandby>(await put(first, [])).standby).toEqual([])
  })

  it("take over in the very next code, each attempt an entry of its own", async () => {
    ok(await put(first, [second]))
    const { verification_id: id, status } = ok<{ verification_id: string; status: string }>(
      await codes.send({ phone: newPhone(), channels: "sms" })
    )
    expect(status).toBe("queued")
    await expect
      .poll(async () => {
        const { attempts } = await codes.status(id)
        return attempts.map(({ status, channel }) => [status, channel.credential_id])
      })
      .toEqual([
        ["failed", first],
        ["sent", second]
      ])
  })

  it("are of the same customer and channel, and no circle", async () => {
    const foreign = await connected(others, sms("another's"))
    const bale = await connected(mine, { ...sms("bale"), channel: "bale" })
    ok(await put(first, [second]))
    for (const ids of [[foreign], [2_147_483_647], [bale], [first], [second, second]]) {
      expect(issues(await put(first, ids)), JSON.stringify(ids)).toEqual(["body.account_ids"])
    }
    expect(issues(await put(second, [first]))).toEqual(["body.account_ids"])
    expect(await standbyOf(first)).toEqual([second])
  })

  it.each([
    ["nothing", undefined],
    ["a number", 1],
    ["texts", ["1"]],
    ["too many", [1, 2, 3, 4, 5, 6]]
  ])("are refused when they are %s", async (_, ids) => {
    refused(await put(first, ids), 422, "validation_error")
  })

  it("are set under If-Match, and for nobody else's account", async () => {
    const { version } = await mine.read<Account>(`/accounts/${first}`)
    ok(await put(first, [second], ifMatch(version)))
    refused(await put(first, [], ifMatch(version - 1)), 412, "precondition_failed")
    const asOther = await others.call("PUT", `/accounts/${first}/standby`, { account_ids: [] })
    refused(asOther, 404, "not_found")
  })

  it("are set on the command line too", async () => {
    const shown = await server.cli("account", "standby", "--account", String(first), "--by", "")
    expect(shown).toMatchObject({ credential_id: first, standby: [] })
    const set = await server.cli("account", "standby", "--account", String(first), "--by", String(second))
    expect(set).toMatchObject({ standby: [second] })
    const circle = server.cli("account", "standby", "--account", String(second), "--by", String(first))
    await expect(circle).rejects.toThrow(/stand by for itself/)
  })
})
