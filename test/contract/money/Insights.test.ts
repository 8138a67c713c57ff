import { DateTime } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { issues, ok, otp, sandbox, timestamp } from "../Client.ts"
import { managedCustomer, query } from "../ManagedCustomer.ts"
import { sentCode } from "../Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

type Managed = Awaited<ReturnType<typeof managedCustomer>>

interface Report {
  readonly from: string
  readonly to: string
  readonly by: string
  readonly data: ReadonlyArray<{ readonly key: string; readonly codes: number; readonly verified: number }>
  readonly previous: ReadonlyArray<{ readonly key: string }>
}

let server: SharedServer
let others: string
let token: string
let get: Managed["get"]
beforeAll(async () => {
  server = await sharedServerWithDemo()
  ;({ token, others, get } = await managedCustomer(server))
})

const insights = async (search = "", authorization = others) =>
  ok<Report>(await get(`insights${search}`, authorization))
const countsBy = async (by: string, more = "") =>
  (await insights(`?by=${by}${more}`)).data.map(({ key, codes, verified }) => [key, codes, verified])

describe("insights", () => {
  it("show at once what became of codes, by channel, account, operator, hour and template", async () => {
    const { live_key: key, test_key: testKey } = server.demo
    await sandbox(server, testKey).sent({ channels: "eitaa" })
    const { id, code } = await sentCode(server, key, { channels: "bale" })
    ok(await otp(server, key).verify(id, code))
    await otp(server, key).sent({ channels: "sms", phone: "+989351234567" })
    const report = await insights()
    expect(report).toEqual({
      from: expect.stringMatching(timestamp),
      to: expect.stringMatching(timestamp),
      by: "channel",
      data: [
        {
          key: "bale",
          codes: 1,
          verified: 1,
          conversion: 1,
          median_seconds: expect.any(Number),
          p95_seconds: expect.any(Number),
          fallbacks: 0,
          cost: 1000
        },
        {
          key: "sms",
          codes: 1,
          verified: 0,
          conversion: 0,
          median_seconds: null,
          p95_seconds: null,
          fallbacks: 0,
          cost: 0
        }
      ],
      previous: []
    })
    expect(await countsBy("operator")).toEqual([
      ["irancell", 1, 0],
      ["mci", 1, 1]
    ])
    expect(await countsBy("template")).toEqual([["none", 2, 1]])
    expect(await countsBy("hour", "&timezone=Asia/Tehran")).toEqual([[expect.stringMatching(/^\d\d$/), 2, 1]])
    expect((await countsBy("account")).map(([account]) => account)).toEqual([
      expect.stringMatching(/^\d+$/),
      expect.stringMatching(/^\d+$/)
    ])
  })

  it("have the sandbox's codes apart, and those of other customers not at all", async () => {
    expect(await countsBy("account", "&mode=test")).toEqual([["sandbox", 1, 0]])
    expect((await insights("?by=channel&mode=live", token)).data).toEqual([])
  })

  it("compare with the time before, of the same length, in whole half hours", async () => {
    const span = { from: "2026-01-01T00:10:00Z", to: "2026-01-02T00:00:01Z" }
    const report = await insights(`?${query(span)}`)
    expect(report).toEqual({
      from: "2026-01-01T00:00:00.000Z",
      to: "2026-01-02T00:30:00.000Z",
      by: "channel",
      data: [],
      previous: []
    })
    // From the end of the report, which is a whole half hour, for as long as it was.
    const { from, to } = await insights()
    const length = DateTime.distance(DateTime.makeUnsafe(from), DateTime.makeUnsafe(to))
    const end = DateTime.formatIso(DateTime.addDuration(DateTime.makeUnsafe(to), length))
    const later = { from: to, to: end }
    const { data, previous } = await insights(`?${query(later)}`)
    expect(data).toEqual([])
    expect(previous.map(({ key }) => key)).toContain("bale")
  })

  it("are of at most 92 days, forwards, in a known grouping, mode and zone", async () => {
    const refused = async (search: string) => issues(await get(`insights?${search}`, others))
    expect(await refused(query({ from: "2026-01-01T00:00:00Z", to: "2026-04-04T00:00:00Z" }))).toEqual([
      "query.from"
    ])
    expect(await refused(query({ from: "2026-04-04T00:00:00Z", to: "2026-01-01T00:00:00Z" }))).toEqual([
      "query.from"
    ])
    expect(await refused("by=phone")).toEqual(["query.by"])
    expect(await refused("mode=all")).toEqual(["query.mode"])
    expect(await refused("timezone=Asia/Nowhere")).toEqual(["query.timezone"])
    expect(await refused("from=yesterday")).toEqual(["query.from"])
    expect(await refused("group_by=day")).toEqual(["query.group_by"])
  })
})
