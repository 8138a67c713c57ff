import { beforeAll, describe, expect, it } from "vitest"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { until } from "../../contract/Server.ts"
import { receivedCode } from "../browser/kit/Activity.ts"
import { demoApi, hiddenFields, submit } from "../Forms.ts"
import { type Answer, signedIn, type Visitor, wordsOf } from "../Visitor.ts"

const PAGE = "/console/alerts"
const SETTINGS = `${PAGE}/settings`
const RECIPIENTS = `${PAGE}/recipients`

let server: SharedServer
let owner: Visitor
let viewer: Visitor
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await sharedServerWithDemo()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
  viewer = await signedIn(server, server.demo.customer_id, "viewer")
})

const save = async (fields: Readonly<Record<string, string>>) =>
  owner.post(SETTINGS, { ...hiddenFields(await owner.get(PAGE), SETTINGS), ...fields })

const settings = () =>
  api<{ readonly quiet_hours: unknown; readonly kinds: unknown }>("GET", "/alerts/settings")

const add = async (address: string) =>
  owner.post(RECIPIENTS, { ...hiddenFields(await owner.get(PAGE), RECIPIENTS), address })

/** The id of the recipient in whose row this phone is. */
const idOf = ({ text }: Answer, phone: string): string => {
  const row = text.split("<tr ").find((each) => each.includes(phone)) ?? ""
  return /\/console\/alerts\/recipients\/(\d+)\//.exec(row)?.[1] ?? ""
}

describe("what and when", () => {
  it.each([
    ["22:00", "08:00"],
    ["22:00", "8:00"],
    ["۲۲:۰۰", "۸:۰۰"]
  ])("takes quiet hours from %s until %s", async (quiet_from, quiet_until) => {
    const reply = await save({ kinds: "guard_alarm", quiet_from, quiet_until })
    expect(reply.location, reply.text).toBe(`${PAGE}?notice=saved`)
    expect(await settings()).toMatchObject({
      kinds: ["guard_alarm"],
      quiet_hours: { from: "22:00", until: "08:00" }
    })
  })

  it("has no quiet hours if both are empty, and asks for the other one of one", async () => {
    const half = await save({ quiet_from: "22:00", quiet_until: "" })
    expect(half.status).toBe(422)
    expect(half.text).toMatch(/id="field-quiet_until-error"[^>]*>\s*Enter a time of the day, such as/)
    expect(half.text).toContain('value="22:00"')
    expect((await save({ quiet_from: "", quiet_until: "" })).status).toBe(303)
    expect((await settings()).quiet_hours).toBeNull()
  })

  it("is only read by viewers", async () => {
    const page = await viewer.get(PAGE)
    expect(page.text).not.toContain('class="button primary">Save')
    expect((await submit(viewer, PAGE, SETTINGS, { quiet_from: "", quiet_until: "" })).status).toBe(403)
  })
})

describe("a phone that gets alerts", () => {
  it("is confirmed by its code, tested, and removed", async () => {
    const phone = "+989127710423"
    expect((await add("0912 771 0423")).location).toBe(`${PAGE}?notice=code_sent`)
    const page = await owner.get(PAGE)
    const id = idOf(page, phone)
    const path = `${RECIPIENTS}/${id}`
    expect(page.text).not.toContain(`${path}/test`)
    const code = await receivedCode(server, phone)
    const wrong = await submit(owner, PAGE, `${path}/confirm`, {
      code: code === "111111" ? "222222" : "111111"
    })
    expect(wrong.status).toBe(422)
    expect(wordsOf(wrong)).toContain("The code is wrong.")
    expect((await submit(owner, PAGE, `${path}/confirm`, { code })).location).toBe(`${PAGE}?notice=confirmed`)
    const test = await owner.post(`${path}/test`, hiddenFields(await owner.get(PAGE), `${path}/test`))
    expect(test.location).toBe(`${PAGE}?notice=sent`)
    await until("the alert to be sent", async () => {
      const history = (await owner.get(PAGE)).text.split('id="history-title"')[1] ?? ""
      return />\s*Sent\s*</.test(history) ? true : undefined
    })
    expect((await submit(owner, PAGE, `${path}/remove`)).location).toBe(`${PAGE}?notice=deleted`)
    expect((await owner.get(PAGE)).text.split('id="history-title"')[0]).not.toContain(phone)
  })

  it("is refused where it is typed, if it is neither a phone nor an address", async () => {
    const reply = await add("0912")
    expect(reply.status).toBe(422)
    expect(reply.text).toContain('value="0912"')
  })

  it("is tested five times an hour, and then says when to go on", async () => {
    const phone = "+989127710424"
    await add(phone)
    const id = idOf(await owner.get(PAGE), phone)
    const path = `${RECIPIENTS}/${id}`
    await submit(owner, PAGE, `${path}/confirm`, { code: await receivedCode(server, phone) })
    const test = async () => owner.post(`${path}/test`, hiddenFields(await owner.get(PAGE), `${path}/test`))
    for (let nth = 0; nth < 5; nth += 1) await test()
    const last = await test()
    expect(last.status).toBe(409)
    expect(wordsOf(last)).toContain("5 test alerts were already sent in the last hour.")
  })
})
