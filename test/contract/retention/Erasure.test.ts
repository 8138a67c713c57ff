import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, newPhone, ok, otp, refused, sandbox, type Status } from "../Client.ts"
import { newManager } from "../ManagedSetUp.ts"
import { simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

const ERASED = "+989800000000"

let server: SharedServer
let owner: Awaited<ReturnType<typeof newManager>>
let live: string
let test: string
beforeAll(async () => {
  server = sharedServer()
  owner = await newManager(server)
  await Promise.all([owner.newAccount("bale"), owner.newAccount("sms")])
  ;[live, test] = [(await owner.newKey()).secret, (await owner.newKey({ mode: "test" })).secret]
})

const erase = (phone: unknown) => owner.post("/phones/erase", { phone })

describe("POST /v1/manage/phones/erase", () => {
  it("cancels what is under way, and erases the phone and its texts in both modes", async () => {
    const phone = newPhone()
    const [codes, texts] = [otp(server, live), messages(server, live)]
    const trial = messages(server, test, "/v1/sandbox/messages")
    const { verification_id: id } = await codes.sent({ phone, channels: ["bale", "sms"], metadata: { a: 1 } })
    const { verification_id: simulatedId } = await sandbox(server, test).sent({ phone })
    const sent = await texts.delivered({ to: phone, metadata: { name: "Ali" } })
    const later = await texts.created({ to: phone, delay: "1h" })
    const simulatedLater = await trial.created({ to: phone, delay: "1h" })
    expect(ok(await erase(phone.replace("+98", "0")))).toEqual({ verifications: 2, messages: 3, contacts: 0 })

    const code = ok<Status>(await codes.read(id))
    expect(code).toMatchObject({ status: "canceled", phone: ERASED })
    expect(code).not.toHaveProperty("metadata")
    expect((await sandbox(server, test).status(simulatedId)).phone).toBe(ERASED)
    expect(await texts.status(sent.message_id)).toMatchObject({ status: "sent", to: ERASED, metadata: {} })
    expect(await texts.status(later.message_id)).toMatchObject({ status: "canceled", to: ERASED })
    expect(await trial.status(simulatedLater.message_id)).toMatchObject({ status: "canceled", to: ERASED })
    expect(await simulated(server, phone)).toEqual([])
    expect(ok(await erase(phone))).toEqual({ verifications: 0, messages: 0, contacts: 0 })
  })

  it("is in the audit log without the phone", async () => {
    const phone = newPhone()
    ok(await erase(phone))
    const [line] = (await owner.audit()).filter(({ action }) => action === "phone.erase")
    expect(line?.details).toEqual({ verifications: 0, messages: 0, contacts: 0 })
    expect(JSON.stringify(line)).not.toContain(phone.slice(3))
  })

  it("leaves other customers' records as they are", async () => {
    const phone = newPhone()
    const { verification_id: id } = await otp(server, server.demo.live_key).sent({ phone, channels: "sms" })
    ok(await erase(phone))
    expect((await otp(server, server.demo.live_key).status(id)).phone).toBe(phone)
  })

  it("takes an Iranian mobile number only", async () => {
    refused(await erase("12"), 422, "invalid_phone")
    expect(issues(await erase(7))).toEqual(["body.phone"])
  })
})

describe("on the command line", () => {
  it("a code moves on and is canceled, a message is canceled, and a phone is erased", async () => {
    const phone = newPhone()
    const customer = ["--customer", owner.customerId]
    const { verification_id: id } = await otp(server, live).sent({ phone, channels: ["bale", "sms"] })
    const code = [...customer, "--verification", id]
    const moved = await server.cli("verification", "next", ...code, "--from-sequence", "1")
    expect(moved).toMatchObject({ status: "queued", attempts: [{ sequence: 1 }, { sequence: 2 }] })
    expect(await server.cli("verification", "cancel", ...code)).toMatchObject({ status: "canceled" })
    const { message_id } = await messages(server, live).created({ to: phone, delay: "1h" })
    const text = [...customer, "--message", message_id]
    expect(await server.cli("message", "cancel", ...text)).toMatchObject({ status: "canceled" })
    const erased = await server.cli("phone", "erase", ...customer, "--phone", phone)
    expect(erased).toEqual({ verifications: 1, messages: 1, contacts: 0 })
  }, 120_000)
})
