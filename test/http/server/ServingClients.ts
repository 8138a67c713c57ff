/** A server that listens, and clients of it that write bytes. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { closedWhile } from "../../../src/http/server/Serving.ts"
import { makeOverloadGate, type OverloadGate } from "../../../src/http/server/Gate.ts"
import { type ServingOptions, ServingServer } from "../../../src/http/server/ServingServer.ts"
import { makeRouteTable } from "../../../src/http/RouteTable.ts"
import { servedRoutes } from "../../../src/http/Routes.ts"
import { noLoad } from "../../../src/services/concurrency/Workers.ts"

export const makeGate = () =>
  makeOverloadGate({ maxInFlight: 100, maxDelayMillis: 1000, coldRequests: 0 }, noLoad())

export const closedGate = () => closedWhile(() => true, makeGate())

const usual: ServingOptions = {
  findPath: makeRouteTable(servedRoutes(true)),
  maxConnections: 100,
  maxConnectionsPerAddress: 0,
  keepAliveMillis: 60_000,
  writeTimeoutMillis: 60_000,
  requestTimeoutMillis: 1000,
  silentStoreMillis: 1000,
  isStoreSilent: () => false,
  bodyTimeoutMillis: 1000,
  hosts: null,
  publicUrl: null
}

export const makeServer = (options: Partial<ServingOptions> = {}, gate: OverloadGate = makeGate()) =>
  new ServingServer(gate, { ...usual, ...options }, () => false)

const portOf = async (server: ServingServer): Promise<number> => {
  if (!server.listening) {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
  }
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** A client of a server, which listens from then on. */
export const clientOf = async (server: ServingServer): Promise<Socket> => {
  const client = connect(await portOf(server), "127.0.0.1")
  await once(client, "connect")
  return client
}

/** A client that reads nothing, and is not surprised when its connection is closed. */
export const unreadingClientOf = async (server: ServingServer): Promise<Socket> => {
  const client = await clientOf(server)
  client.pause()
  client.on("error", () => {})
  return client
}

export const received = async (client: Socket) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of client) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

export const stop = async (server: ServingServer) => {
  server.close()
  server.closeAllConnections()
  await once(server, "close")
}

export const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resume) => setImmediate(resume))
}

/** Waits until something is so. */
export const until = async (isSo: () => boolean) => {
  while (!isSo()) await turns(1)
}
