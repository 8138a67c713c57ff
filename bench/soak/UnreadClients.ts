/** Clients that ask a server for what anybody may ask for, and do not read it. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** More than any system keeps for a connection, and what waits behind it. */
const LARGE = [get("/docs").repeat(20), get("/openapi.json").repeat(25)]
const BEHIND = [get("/v1/otp/a").repeat(40), get("/v1/manage/me").repeat(20), ""]
const REQUESTS = LARGE.flatMap((large) => BEHIND.map((behind) => large + behind))

const open = async (port: number, nth: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1")
  // The server closes it.
  socket.on("error", () => {})
  socket.pause()
  await once(socket, "connect")
  socket.write(REQUESTS[nth % REQUESTS.length] ?? "")
  return socket
}

/** Returns how to close them. */
export const openUnreadClients = async (port: number, count: number): Promise<() => void> => {
  const sockets = await Promise.all(Array.from({ length: count }, (_, nth) => open(port, nth)))
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

export interface ServingFigures {
  /** Requests refused for want of room, but for those of anybody. */
  readonly refused: number
  /** Bytes that clients have not read. */
  readonly unsent: number
}

const REFUSED = /^peyk_http_requests_shed_total\{[^}]*class="(?:check|send|manage)"[^}]*\} (\d+)/gm
const UNSENT = /^peyk_http_unsent_bytes(?:\{[^}]*\})? (\d+)/m

export const readFigures = async (url: string): Promise<ServingFigures> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return {
    refused: [...text.matchAll(REFUSED)].reduce((sum, [, count]) => sum + Number(count), 0),
    unsent: Number(UNSENT.exec(text)?.[1] ?? 0)
  }
}
