import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { json, otp, type Sent, type Status } from "../../contract/Client.ts"
import { type Server, startServer, until } from "../../contract/Server.ts"
import { bridgeEnv, type HeldBridge, openHeldBridge } from "./HeldBridge.ts"
import { isListening, keepAsking } from "./KeepAlive.ts"
import { discard } from "../store/Postgres.ts"

let bridge: HeldBridge
let server: Server
beforeAll(async () => {
  bridge = await openHeldBridge()
  server = await startServer({ env: bridgeEnv })
})
afterAll(async () => {
  bridge?.release()
  await server?.kill()
  if (server !== undefined) await discard(server.dataDir)
  await bridge?.close()
})

const untilClosed = (port: number) =>
  until("nobody to listen", async () => ((await isListening(port)) ? undefined : true))

describe("a server that is asked to stop", () => {
  it("answers every request of clients that keep their connections", async () => {
    const asking = keepAsking(`${server.url}/healthz`, 20)
    await until("some answers", async () => (asking.count() > 200 ? true : undefined))
    expect(await server.terminate()).toBe(0)
    expect(await asking.end()).toEqual({ statuses: [200], errors: [] })
    server = await server.restart()
  }, 60_000)

  it("takes no new connections, but answers the send whose provider it waits for, and keeps what came of it", async () => {
    const customer = await bridge.customer(server)
    bridge.hold()
    const sending = otp(server, customer.live).send({ channels: "bale" })
    await bridge.called(1)
    const stopping = server.terminate()
    await untilClosed(server.port)
    bridge.release()
    const reply = await sending
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get("connection")).toBe("close")
    expect(await stopping).toBe(0)
    server = await server.restart()
    const { verification_id: id } = json<Sent>(reply)
    const status: Status = await otp(server, customer.live).status(id)
    expect(status.attempts).toMatchObject([{ status: "sent" }])
  }, 60_000)
})
