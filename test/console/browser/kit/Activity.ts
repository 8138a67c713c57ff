import { randomInt } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { ok, request } from "../../../contract/Client.ts"
import { manage } from "../../../contract/Manager.ts"
import { type Demo, until } from "../../../contract/Server.ts"
import { raiseAlarm } from "../../Alarms.ts"
import { hiddenFields, submit } from "../../Forms.ts"
import type { Visitor } from "../../Visitor.ts"

export interface Place {
  readonly url: string
  readonly demo: Demo
}

interface ReceivedEvent {
  readonly id: string
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly events: ReadonlyArray<ReceivedEvent>
  readonly close: () => void
}

/** A customer's own server, that takes events with this status. */
export const startReceiver = async (status = 204): Promise<Receiver> => {
  const events: Array<ReceivedEvent> = []
  const server = createServer((asked: IncomingMessage, answer: ServerResponse) => {
    let body = ""
    asked.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")))
    asked.on("end", () => {
      events.push({ id: String(asked.headers["webhook-id"]), body })
      answer.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/events`, events, close: () => server.close() }
}

let sends = 0

/** Sends a code with the demo's live key. */
export const sendCode = async ({ url, demo }: Place, phone: string, body: object = {}) => {
  const reply = await request({ url }, "POST", "/v1/otp/send", {
    headers: {
      "content-type": "application/json",
      "x-api-key": demo.live_key,
      "idempotency-key": `console-${process.pid}-${sends++}`
    },
    body: JSON.stringify({ phone, ...body })
  })
  return ok<{ readonly verification_id: string }>(reply)
}

export const sendMessage = async ({ url, demo }: Place, to: string, message: string) => {
  const reply = await request({ url }, "POST", "/v1/messages/send", {
    headers: { "content-type": "application/json", "x-api-key": demo.live_key },
    body: JSON.stringify({ to, message, channels: ["bale", "sms"], metadata: { order: "1843" } })
  })
  return ok<{ readonly message_id: string }>(reply, 201)
}

export const newWebhook = async ({ url, demo }: Place, to: string) => {
  const authorization = `apikey ${demo.token}`
  const reply = await manage({ url }, "POST", "/webhooks", { authorization }, { url: to, events: ["*"] })
  return ok<{ readonly id: number }>(reply, 201)
}

/** The code that the simulator received last for a phone. */
export const receivedCode = ({ url }: Place, phone: string): Promise<string> =>
  until(`a code for ${phone}`, async () => {
    const reply = await fetch(`${url}/simulator/messages?phone=${encodeURIComponent(phone)}`)
    const { data } = (await reply.json()) as { data: ReadonlyArray<{ code: string | null }> }
    return data.find(({ code }) => code !== null)?.code ?? undefined
  })

const verify = ({ url, demo }: Place, verification_id: string, code: string) =>
  request({ url }, "POST", "/v1/otp/verify", {
    headers: { "content-type": "application/json", "x-api-key": demo.live_key },
    body: JSON.stringify({ verification_id, code })
  })

/** Some of everything, so that no page is empty. */
export const someActivity = async (place: Place): Promise<Receiver> => {
  const receiver = await startReceiver()
  await newWebhook(place, receiver.url)
  for (const digit of [1, 2, 3, 4]) {
    const phone = `+9891212345${digit}0`
    const { verification_id: id } = await sendCode(place, phone)
    if (digit > 2) await verify(place, id, await receivedCode(place, phone))
    if (digit === 2) await verify(place, id, "000000")
  }
  await sendMessage(place, "09121234567", "سفارش شما ارسال شد.")
  await until("an event", async () => (receiver.events.length > 3 ? true : undefined))
  return receiver
}

const RECIPIENTS = "/console/alerts/recipients"

/**
 * What pages show only where somebody has set it or it has happened: a budget, a view, somebody to alert, an alarm. Files
 * that share a customer each have their own.
 */
export const someRarities = async (place: Place & { readonly dataDir: string }, owner: Visitor) => {
  const own = randomInt(10_000, 100_000)
  await raiseAlarm(place, { kind: "prefix", key: `+989${own}` })
  const view = { page: "verifications", name: `Failed over Bale ${own}`, query: "status=failed&channel=bale" }
  const recipient = hiddenFields(await owner.get("/console/alerts"), RECIPIENTS)
  for (const reply of [
    await submit(owner, "/console/wallet", "/console/wallet/budget", { amount: "5000", calendar: "jalali" }),
    await submit(owner, "/console/views", "/console/views", view),
    await owner.post(RECIPIENTS, { ...recipient, address: `09121${own}2` })
  ])
    if (reply.status !== 303) throw new Error(reply.text)
}
