/**
 * Loaded into a server before its own code. On SIGUSR2 it collects garbage, and writes the remaining memory and the
 * number of connections to PostgreSQL to a file.
 */
import { subscribe } from "node:diagnostics_channel"
import { renameSync, writeFileSync } from "node:fs"
import type { Socket } from "node:net"
import { setImmediate as nextTurn } from "node:timers/promises"

const ROUNDS = 3

const { searchParams } = new URL(import.meta.url)
const file = searchParams.get("file") ?? ""
/** Where PostgreSQL is reached over TCP. */
const ports = new Set((searchParams.get("ports") ?? "").split(",").filter(Boolean).map(Number))

const overTcp = new Set<Socket>()
if (ports.size > 0) {
  subscribe("net.client.socket", (message) => {
    const { socket } = message as { readonly socket: Socket }
    overTcp.add(socket)
    socket.once("close", () => overTcp.delete(socket))
  })
}

process.on("SIGUSR2", async () => {
  // Objects that the first round frees may have held others.
  for (let round = 0; round < ROUNDS; round += 1) {
    // This kind also returns what is free to the system, so that the resident memory is what is needed.
    globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
    await nextTurn()
  }
  const sockets = process.getActiveResourcesInfo().filter((type) => type === "PipeWrap").length
  const connections = sockets + [...overTcp].filter(({ remotePort = 0 }) => ports.has(remotePort)).length
  writeFileSync(`${file}.part`, JSON.stringify({ ...process.memoryUsage(), connections }))
  renameSync(`${file}.part`, file)
})
