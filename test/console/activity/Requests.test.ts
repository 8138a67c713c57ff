import { beforeAll, describe, expect, it } from "vitest"
import { newOperator, signedIn, type Visitor } from "../Visitor.ts"
import { ok, request } from "../../contract/Client.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"

let server: SharedServer
let owner: Visitor
let verificationId: string

const send = (body: object, headers: Record<string, string>) =>
  request(server, "POST", "/v1/otp/send", {
    headers: { "content-type": "application/json", "x-api-key": server.demo.live_key, ...headers },
    body: JSON.stringify(body)
  })

const PHONE = "+989121234567"
const REFUSED = '<span class="badge warn">422</span>'

/** The page has what its own process has answered, without any wait. */
const logged = async (path: string, wanted: string, visitor: Visitor = owner): Promise<string> => {
  const { text } = await visitor.get(path)
  expect(text).toContain(wanted)
  return text
}

const firstRequest = (text: string, page = "/console/requests"): string => {
  const path = new RegExp(`href="(${page}/[0-9a-f-]+\\.\\d+)"`).exec(text)?.[1]
  if (path === undefined) throw new Error(`no request in\n${text}`)
  return path
}

beforeAll(async () => {
  server = await sharedServerWithDemo()
  owner = await signedIn(server, server.demo.customer_id, "owner")
  const sent = await send({ phone: PHONE }, { "idempotency-key": "log-1", "x-request-id": "order-1843" })
  verificationId = ok<{ readonly verification_id: string }>(sent).verification_id
  const refused = await send({ phone: "12" }, { "idempotency-key": "log-2", "x-request-id": "order-1844" })
  expect(refused.status).toBe(422)
  await request(server, "GET", `/v1/otp/${verificationId}`, {
    headers: { "x-api-key": server.demo.live_key, "x-request-id": "order-1845" }
  })
  await request(server, "GET", `/v1/otp/${verificationId}`, {
    headers: { "x-api-key": server.demo.test_key, "x-request-id": "order-1846" }
  })
})

describe("the request log", () => {
  it("finds a request by its id, and leads to the verification it made", async () => {
    const list = await logged("/console/requests?q=order-1843", "/v1/otp/send")
    const { text } = await owner.get(firstRequest(list))
    expect(text).toContain("order-1843")
    expect(text).toContain(`href="/console/verifications/${verificationId}"`)
    expect(text).toContain("+98912•••4567")
  })

  it("repeats a request as curl, with variables for what the log does not keep", async () => {
    const body = {
      phone: PHONE,
      channels: ["bale", { channel: "sms", wait: 60 }],
      locale: "en",
      metadata: { note: "private" }
    }
    await send(body, { "idempotency-key": "log-curl", "x-request-id": "order-curl" })
    const { text } = await owner.get(
      firstRequest(await logged("/console/requests?q=order-curl", "/v1/otp/send"))
    )
    const words = text.replaceAll("&quot;", '"').replaceAll("&#39;", "'")
    expect(words).toContain(
      `-d '{"phone":"'"$PHONE"'","channels":["bale",{"channel":"sms","wait":60}],"locale":"en"}'`
    )
    expect(words).toContain('-H "X-API-Key: $PEYK_API_KEY"')
    expect(words).not.toContain("private")
    expect(words).not.toContain("9121234567")
  })

  it("shows neither a whole phone nor a body", async () => {
    const { text } = await owner.get("/console/requests")
    expect(text).toContain("+98912•••4567")
    expect(text).not.toContain("9121234567")
  })

  it("finds all requests about a verification", async () => {
    const text = await logged(`/console/requests?q=${verificationId}`, "/v1/otp/{verification_id}")
    expect(text).toContain("/v1/otp/send")
    expect(text).not.toContain(REFUSED)
  })

  it("finds refusals by status and by code, and says what the code means", async () => {
    await logged("/console/requests?outcome=refused", REFUSED)
    const list = await logged("/console/requests?code=invalid_phone", REFUSED)
    expect((await owner.get(firstRequest(list))).text).toContain("order-1844")
    await logged("/console/requests?outcome=refused&mode=test", "test_key_not_allowed")
  })

  it("finds a phone, and shows nothing for what is no phone, id or code", async () => {
    const list = await logged(`/console/requests?q=${encodeURIComponent("0912 123 4567")}`, "/v1/otp/send")
    expect(list).not.toContain(REFUSED)
    expect((await owner.get("/console/requests?q=%3Cb%3E")).text).toContain('role="alert"')
  })

  it("has a page of its own in Persian", async () => {
    const { text } = await owner.get("/console/requests?lang=fa")
    expect(text).toContain("درخواست‌ها")
    await owner.get("/console/requests?lang=en")
  })

  it("refuses a cursor that is none", async () => {
    expect((await owner.get("/console/requests?cursor=1")).status).toBe(422)
  })

  it("is of all customers for an operator, and of nobody else for a customer", async () => {
    expect((await owner.get("/console/all-requests")).status).toBe(404)
    const operator = await newOperator(server, "log@example.ir")
    const list = await operator.get("/console/all-requests?q=order-1844")
    expect(list.text).toContain("Demo")
    const one = await operator.get(firstRequest(list.text, "/console/all-requests"))
    expect(one.text).toContain(`href="/console/customers/${server.demo.customer_id}"`)
    const { id } = (await server.cli("customer", "create", "--name", "Other", "--plan", "free")) as {
      id: number
    }
    const other = await signedIn(server, id, "owner")
    expect((await other.get("/console/requests")).text).toContain("No requests yet")
    const path = firstRequest(list.text, "/console/all-requests").replace("all-requests", "requests")
    expect((await other.get(path)).status).toBe(404)
  })
})
