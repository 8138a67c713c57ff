/** Clients that send the head of a request and then let the server wait for the rest. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface SlowRequest {
  readonly path: string
  readonly method?: string
  /** Header lines without their ends. */
  readonly headers?: ReadonlyArray<string>
  /** Chunks instead of a length. */
  readonly isChunked?: boolean
  /** The bytes after the head: one byte by default. */
  readonly begun?: string
}

const headOf = ({ path, method = "POST", headers = [], isChunked = false }: SlowRequest): string =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 100",
    ...headers,
    "\r\n"
  ].join("\r\n")

export interface SlowClient {
  readonly socket: Socket
  /** The server's answers so far. */
  readonly answer: () => string
}

/** One connection, with its request begun. */
export const openSlowClient = async (port: number, request: SlowRequest): Promise<SlowClient> => {
  const socket = connect(port, "127.0.0.1")
  let received = ""
  socket.setEncoding("utf8")
  socket.on("data", (chunk: string) => {
    received += chunk
  })
  // A connection that the server has closed is what some tests wait for.
  socket.on("error", () => {})
  await once(socket, "connect")
  const begun = request.begun ?? (request.isChunked === true ? "1\r\n{\r\n" : "{")
  socket.write(headOf(request) + begun)
  return { socket, answer: () => received }
}

export const openSlowClients = async (port: number, count: number, request: SlowRequest) => {
  const clients = await Promise.all(Array.from({ length: count }, () => openSlowClient(port, request)))
  return {
    clients,
    close: () => {
      for (const { socket } of clients) socket.destroy()
    }
  }
}
