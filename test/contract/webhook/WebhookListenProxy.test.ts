// @effect-diagnostics globalTimers:off
/** `peyk webhook listen` through a proxy that holds responses back, and cuts them. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { FakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { ok, request, sandbox } from "../Client.ts"
import { until } from "../Server.ts"
import type { SharedServer } from "../SharedServer.ts"
import { startReceiver } from "./Receiver.ts"

/** As much as nginx gathers of a response before it passes it on, unless it is told not to. */
const BUFFER_BYTES = 4096
/** So long after the response began, whatever passes then. What is held is lost. */
const CUT_MILLIS = 7000

interface Proxy {
  readonly url: string
  readonly connections: () => number
  /** It knows nothing of HTTP: it would hold the end of a response, too. */
  readonly holdNothing: () => void
  readonly close: () => void
}

const startProxy = async (port: number): Promise<Proxy> => {
  const open = new Set<Socket>()
  let connections = 0
  let least = BUFFER_BYTES
  const proxy = createServer((client) => {
    connections += 1
    const upstream = connect(port, "127.0.0.1")
    let held: Buffer = Buffer.alloc(0)
    let timer: NodeJS.Timeout | undefined
    const cut = () => {
      clearTimeout(timer)
      client.destroy()
      upstream.destroy()
    }
    client.on("data", (bytes) => upstream.write(bytes))
    upstream.on("data", (bytes: Buffer) => {
      timer ??= setTimeout(cut, CUT_MILLIS)
      held = Buffer.concat([held, bytes])
      while (held.length >= least) {
        client.write(held.subarray(0, BUFFER_BYTES))
        held = held.subarray(BUFFER_BYTES)
      }
    })
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on("error", cut)
      socket.on("close", cut)
    }
  })
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve)
  })
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    connections: () => connections,
    holdNothing: () => {
      least = 1
    },
    close: () => {
      proxy.close()
      for (const socket of open) socket.destroy()
    }
  }
}

let server: SharedServer
let owner: string
let fake: FakeFarEnd
let proxy: Proxy
let close: () => Promise<void>

beforeAll(async () => {
  ;({ server, owner, fake, close } = await startReceiver(204))
  proxy = await startProxy(server.port)
})
afterAll(async () => {
  proxy.close()
  await close()
})

const manage = (method: string, path: string, body?: unknown) =>
  request(server, method, `/v1/manage${path}`, {
    headers: { authorization: `apikey ${owner}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

interface Posted {
  readonly data: { readonly verification_id: string }
}

it("forwards each event once, whatever the proxy holds back and cuts", async () => {
  const token = ok<{ readonly id: number; readonly secret: string }>(
    await manage("POST", "/tokens", { name: "laptop", scope: "read_only" }),
    201
  )
  const forward = `${fake.url}/proxied`.replace("127.0.0.1", "localhost")
  const running = server.run(
    "webhook",
    "listen",
    "--forward",
    forward,
    "--url",
    proxy.url,
    "--token",
    token.secret
  )
  const arrived = () => fake.received.map(({ json }) => (json as Posted).data.verification_id)
  const send = async () => {
    const { verification_id } = await sandbox(server, server.demo.test_key).sent({ channels: "bale" })
    return verification_id
  }
  await until(
    "the first event",
    async () => {
      await send()
      return arrived().length > 0 ? true : undefined
    },
    60_000
  )
  const begun = proxy.connections()
  const sent: Array<string> = []
  await until(
    "the proxy to cut three connections",
    async () => {
      sent.push(await send())
      return proxy.connections() >= begun + 3 ? true : undefined
    },
    60_000
  )
  await until(
    "all events",
    async () => {
      const had = new Set(arrived())
      return sent.every((id) => had.has(id)) ? true : undefined
    },
    60_000
  )
  proxy.holdNothing()
  await manage("DELETE", `/tokens/${token.id}`)
  await running
  const ids = fake.received.map(({ headers }) => headers["webhook-id"])
  expect(ids).toEqual([...new Set(ids)])
}, 240_000)
