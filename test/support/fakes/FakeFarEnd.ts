import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it came in: what a provider gets to see. */
export interface Received {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** The body read as JSON; undefined where it is none. */
  readonly json: unknown
  /** Which of the connections it came over, from 1. */
  readonly connection: number
}

export interface Answer {
  readonly status?: number
  /** Several values are several headers. */
  readonly headers?: Readonly<Record<string, string | Array<string>>>
  /** The body: JSON, or text as it is. */
  readonly json?: unknown
  readonly text?: string
}

/** A far end that does not answer: it breaks the connection, stays silent, or stops in the middle. */
export type Fault = "reset" | "silence" | "cut" | "stall"

export type Scripted = Answer | Fault | ((received: Received) => Answer | Fault | Promise<Answer | Fault>)

export interface FakeFarEnd {
  readonly url: string
  readonly received: Array<Received>
  /** The next answers, one after the other; after them it answers as the provider would. */
  readonly script: (...answers: ReadonlyArray<Scripted>) => void
  /** As the provider would answer. */
  readonly behave: (received: Received) => Answer | Fault
  /** When this many requests have come in, since the beginning. */
  readonly arrived: (count: number) => Effect.Effect<void>
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const carryOut = (answer: Answer | Fault, response: ServerResponse) => {
  if (answer === "silence") return
  if (answer === "reset") return response.socket?.resetAndDestroy()
  if (answer === "stall" || answer === "cut") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
    const breakOff = () => void response.socket?.resetAndDestroy()
    return response.write('{"status":', answer === "cut" ? breakOff : undefined)
  }
  const { status = 200, headers = {}, json, text = json === undefined ? "" : JSON.stringify(json) } = answer
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
  return response.end(text)
}

export interface FakeOptions {
  /** 0: a free one. */
  readonly port?: number
  readonly onReceived?: (received: Received, answer: Answer | Fault) => void
}

/** An HTTP server on loopback that stands for a provider: `behave` answers as its documentation says. */
export const fakeFarEnd = (
  behave: (received: Received) => Answer | Fault,
  { port = 0, onReceived }: FakeOptions = {}
) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly fake: FakeFarEnd; readonly close: () => void }>((resolve, reject) => {
          const received: Array<Received> = []
          const scripted: Array<Scripted> = []
          const waiting: Array<{ readonly count: number; readonly done: () => void }> = []
          const connections = new Map<unknown, number>()
          const server = createServer(async (request, response) => {
            const body = await readBody(request)
            const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake")
            const arrival: Received = {
              method: request.method ?? "",
              path: pathname,
              query: searchParams,
              headers: request.headers as Received["headers"],
              body,
              json: readJson(body),
              connection: connections.get(request.socket) ?? 0
            }
            received.push(arrival)
            const next = scripted.shift() ?? behave
            for (const { count, done } of waiting) if (received.length >= count) done()
            const answer = typeof next === "function" ? await next(arrival) : next
            onReceived?.(arrival, answer)
            carryOut(answer, response)
          })
          server.on("connection", (socket) => connections.set(socket, connections.size + 1))
          server.once("error", reject)
          server.listen(port, "127.0.0.1", () => {
            const { port: taken } = server.address() as AddressInfo
            resolve({
              fake: {
                url: `http://127.0.0.1:${taken}`,
                received,
                behave,
                script: (...answers) => void scripted.push(...answers),
                arrived: (count) =>
                  Effect.promise(
                    () =>
                      new Promise<void>((done) =>
                        received.length >= count ? done() : void waiting.push({ count, done })
                      )
                  )
              },
              close: () => {
                server.closeAllConnections()
                server.close()
              }
            })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ fake }) => fake))
