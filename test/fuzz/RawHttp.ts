/** One request as bytes on a connection of its own, and the answer to it. */
import { connect } from "node:net"

export interface RawRequest {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer | null
  /** How many bytes of the body are sent; all unless given. */
  readonly sent?: number
}

export interface RawAnswer {
  readonly status: number
  /** By lower-case name; of several, the last. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export type Outcome =
  | { readonly kind: "answered"; readonly answer: RawAnswer }
  | { readonly kind: "closed" | "hung"; readonly received: string }

const HANG_MILLIS = 15_000

export const bytesOf = ({ method, target, headers, body, sent }: RawRequest): Buffer => {
  const has = (name: string) => headers.some(([given]) => given.toLowerCase() === name)
  const framing =
    body === null || has("content-length") || has("transfer-encoding")
      ? []
      : [`Content-Length: ${body.length}`]
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...framing
  ]
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")
  return body === null ? head : Buffer.concat([head, body.subarray(0, sent ?? body.length)])
}

const withoutChunks = (body: Buffer): Buffer => {
  const parts: Array<Buffer> = []
  for (let at = 0; at < body.length;) {
    const end = body.indexOf("\r\n", at)
    const size = end === -1 ? 0 : Number.parseInt(body.subarray(at, end).toString("latin1"), 16)
    if (!(size > 0)) break
    parts.push(body.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return Buffer.concat(parts)
}

const parse = (received: Buffer): RawAnswer | undefined => {
  // An interim answer (100 Continue) comes before the answer.
  const start = /^HTTP\/1\.1 1\d\d /.test(received.subarray(0, 16).toString("latin1"))
    ? received.subarray(received.indexOf("\r\n\r\n") + 4)
    : received
  const end = start.indexOf("\r\n\r\n")
  const [line = "", ...lines] = start.subarray(0, end).toString("latin1").split("\r\n")
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1])
  if (end === -1 || Number.isNaN(status)) return undefined
  const headers = new Map(
    lines.map((each): [string, string] => {
      const colon = each.indexOf(":")
      return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()]
    })
  )
  const rest = start.subarray(end + 4)
  const length = headers.get("content-length")
  const body =
    headers.get("transfer-encoding") === "chunked"
      ? withoutChunks(rest)
      : rest.subarray(0, length === undefined ? rest.length : Number(length))
  return { status, headers, body: body.toString("utf8") }
}

/** A stream of events goes on until somebody closes it. */
const isStream = (received: Buffer): boolean =>
  parse(received)?.headers.get("content-type")?.startsWith("text/event-stream") === true

/** Sends the request and waits until the server closes the connection, or until a stream has begun. */
export const exchange = (port: number, request: RawRequest): Promise<Outcome> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let isHung = false
    const socket = connect(port, "127.0.0.1", () => socket.write(bytesOf(request)))
    socket.setTimeout(HANG_MILLIS, () => {
      isHung = true
      socket.destroy()
    })
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      if (chunks.length === 1 && isStream(chunk)) socket.destroy()
    })
    // The server may close before everything is written.
    socket.on("error", () => {})
    socket.on("end", () => socket.end())
    socket.once("close", () => {
      const received = Buffer.concat(chunks)
      const answer = parse(received)
      if (isHung) resolve({ kind: "hung", received: received.toString("latin1") })
      else if (answer === undefined) resolve({ kind: "closed", received: received.toString("latin1") })
      else resolve({ kind: "answered", answer })
    })
  })
