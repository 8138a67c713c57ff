import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { issues, newPhone, ok, otp, refused } from "../Client.ts"
import { manage } from "../Manager.ts"
import {
  type Customer,
  customerWith,
  newCustomer,
  newSharedAccount,
  newTemplate,
  simulated
} from "../Operator.ts"
import { type Demo, type Server, startServer } from "../Server.ts"

let server: Server
let customer: Customer
let owner: string
const ids = { login: 0, other: 0, plain: 0, strangers: 0 }
beforeAll(async () => {
  server = await startServer()
  const { token } = server.demo as Demo & { readonly token: string }
  owner = `apikey ${token}`
  customer = { id: String(server.demo.customer_id), live: server.demo.live_key, test: server.demo.test_key }
  await newSharedAccount(server, "eitaa")
  const stranger = await newCustomer(server)
  ids.login = await newTemplate(server, customer.id, "login {{code}}")
  ids.other = await newTemplate(server, customer.id, "other {{code}} {{minutes}}")
  ids.plain = await newTemplate(server, customer.id, "no code")
  ids.strangers = await newTemplate(server, stranger.id, "{{code}}")
})
afterAll(() => server?.stop())

const save = (steps: ReadonlyArray<unknown>, authorization = owner) =>
  manage(server, "PUT", "/routing", { authorization }, { steps })
const read = async () =>
  ok<{ steps: unknown }>(await manage(server, "GET", "/routing", { authorization: owner }))

interface Sent {
  readonly verification_id: string
  readonly current_attempt_channel: unknown
}

/** Sends a code along the saved order and gives the answer, and the text that arrived without its digits. */
const send = async (body: object = {}) => {
  const phone = newPhone()
  const sent = ok<Sent>(await otp(server, customer.live).send({ phone, ...body }))
  const [received] = await simulated(server, phone)
  return { channel: sent.current_attempt_channel, text: received?.text.replaceAll(/\d+/g, "#") }
}

describe("a saved step", () => {
  it("keeps `sender` and `template_id`, and a send along it does as they say", async () => {
    const steps = [
      { channel: "eitaa", sender: "shared", template_id: ids.login },
      { channel: "sms", wait: 45 }
    ]
    expect(ok(await save(steps))).toMatchObject({ steps })
    expect((await read()).steps).toEqual(steps)
    expect(await send()).toEqual({
      channel: { type: "messenger", provider: "eitaa", credential_id: null, label: "Shared (eitaa)" },
      text: "login #"
    })
  })

  it("takes a template's id as a text too, as a send does", async () => {
    expect(ok(await save([{ channel: "bale", template_id: String(ids.login) }]))).toMatchObject({
      steps: [{ channel: "bale", template_id: ids.login }]
    })
  })

  it("gives way to what a request says: its template, and its channels", async () => {
    ok(await save([{ channel: "eitaa", sender: "shared", template_id: ids.login }]))
    expect((await send({ template_id: ids.other })).text).toBe("other # #")
    const own = await send({ channels: "eitaa" })
    expect(own.channel).toMatchObject({ credential_id: expect.any(Number) })
    expect(own.text).not.toContain("login")
  })

  it("sends what its template says now, and nothing while that is switched off", async () => {
    ok(await save([{ channel: "bale", template_id: ids.login }]))
    expect((await send()).text).toBe("login #")
    const change = (body: object) =>
      manage(server, "PATCH", `/templates/${ids.login}`, { authorization: owner }, body)
    ok(await change({ body: "changed {{code}}" }))
    expect((await send()).text).toBe("changed #")
    ok(await change({ active: false }))
    refused(await otp(server, customer.live).send({ phone: newPhone() }), 422, "template_invalid")
    expect((await send({ template_id: ids.other })).text).toBe("other # #")
    ok(await change({ active: true, body: "login {{code}}" }))
    expect((await send()).text).toBe("login #")
  })

  it("is refused by the rules of send, and the order stays as it was", async () => {
    ok(await save([{ channel: "bale" }]))
    const [first] = [{ channel: "bale", sender: "shared", account_id: 1 }]
    expect(issues(await save([first]))).toEqual(["body.steps[0].account_id"])
    expect(issues(await save([{ channel: "sms", sender: "shared" }]))).toEqual(["body.steps[0].sender"])
    expect(issues(await save([{ channel: "sms", template_id: ids.login }]))).toEqual([
      "body.steps[0].template_id"
    ])
    expect(issues(await save([{ channel: "bale", sender: "own" }]))).toEqual(["body.steps[0].sender"])
    refused(await save([{ channel: "bale", template_id: ids.strangers }]), 404, "template_not_found")
    refused(await save([{ channel: "bale", template_id: 999_999_999_999 }]), 404, "template_not_found")
    refused(await save([{ channel: "bale", template_id: ids.plain }]), 422, "template_invalid")
    expect((await read()).steps).toEqual([{ channel: "bale" }])
  })

  it("with the shared sender is for the start plan, as in send", async () => {
    const other = await customerWith(server, { bale: {} })
    const token = (await server.cli("token", "create", "--customer", other.id, "--scope", "full")) as {
      secret: string
    }
    refused(
      await save([{ channel: "bale", sender: "shared" }], `apikey ${token.secret}`),
      403,
      "shared_sender_not_allowed"
    )
  })

  it("with a shared sender that the platform does not have is refused as in send", async () => {
    const steps = [{ channel: "rubika", sender: "shared" }]
    const before = await read()
    const error = refused(await save(steps), 503, "shared_sender_unavailable")
    expect(error.details).toEqual({ channel: "rubika" })
    expect(refused(await otp(server, customer.live).send({ channels: steps }), 503, error.code)).toEqual(
      error
    )
    expect(await read()).toEqual(before)
  })

  it("is set and shown by the command line by the same rules", async () => {
    const of = ["--customer", customer.id]
    const steps = [{ channel: "eitaa", sender: "shared", template_id: ids.login }]
    const shown = {
      data: [{ channel: "eitaa", account_id: null, wait: null, sender: "shared", template_id: ids.login }]
    }
    expect(await server.cli("routing", "set", ...of, "--steps", JSON.stringify(steps))).toEqual(shown)
    expect(await server.cli("routing", "show", ...of)).toEqual(shown)
    const bad = [{ channel: "bale", template_id: ids.plain }]
    const { code, err } = await server.run("routing", "set", ...of, "--steps", JSON.stringify(bad))
    expect(code).toBe(1)
    expect(err).toContain("template_invalid")
  })
})
