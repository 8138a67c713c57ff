/** A backend's HTTP client, with keep-alive connections that it can lose, or cut itself. */
import { Agent, type IncomingMessage, request } from "node:http"
import type { Socket } from "node:net"
import type { Random } from "./Random.ts"
import { now } from "./Time.ts"

/** As openapi.json names them. */
export type Operation =
  | "POST /v1/otp/send"
  | "POST /v1/otp/verify"
  | "GET /v1/otp/{verification_id}"
  | "POST /v1/messages/send"
  | "GET /v1/messages/{message_id}"

export interface Call {
  readonly operation: Operation
  /** Replaces the parameter in the path. */
  readonly id?: string
  readonly key: string
  readonly idempotencyKey?: string
  readonly body?: unknown
  /** Cuts the connection after so many milliseconds, if there is no response by then. */
  readonly hangUpAfter?: number
}

interface Attempted {
  readonly operation: Operation
  /** The customer's. */
  readonly key: string
  readonly server: number
  readonly from: number
  readonly to: number
}

export interface Reply extends Attempted {
  readonly _tag: "Reply"
  readonly status: number
  readonly body: unknown
  readonly requestId: string
  readonly isReplayed: boolean
  readonly retryAfter: string | undefined
}

/** No response, or an incomplete one. */
export interface Broken extends Attempted {
  readonly _tag: "Broken"
  readonly error: string
  /** Bytes of a response had arrived. */
  readonly hadBegun: boolean
  /** The connection had served an earlier request. */
  readonly wasReused: boolean
  /** We cut it ourselves. */
  readonly byUs: boolean
}

export type Outcome = Reply | Broken

/** The longest wait: a slower response counts as lost. */
const PATIENCE_MILLIS = 20_000
export const NO_RESPONSE = "no answer"
/** An idle connection is closed before the server closes it (see `Keep-Alive`), so that both do not act at once. */
const IDLE_MILLIS = 4000

export interface Client {
  readonly call: (server: number, call: Call) => Promise<Outcome>
  /** Cuts this share of the connections that are in use. */
  readonly cut: (random: Random, share: number) => number
  readonly forgetIdle: () => void
  readonly close: () => void
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : error.message

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

export const makeClient = (ports: ReadonlyArray<number>): Client => {
  const agents = ports.map(() => new Agent({ keepAlive: true, maxSockets: 256, timeout: IDLE_MILLIS }))
  const cutByUs = new WeakSet<Socket>()

  const call = (server: number, { operation, id, key, idempotencyKey, body, hangUpAfter }: Call) =>
    new Promise<Outcome>((resolve) => {
      const [method = "GET", path = "/"] = operation.split(" ")
      const text = body === undefined ? undefined : JSON.stringify(body)
      const attempted = { operation, key, server, from: now() }
      let hadBegun = false
      const patience = AbortSignal.timeout(hangUpAfter ?? PATIENCE_MILLIS)
      const hangsUp = hangUpAfter !== undefined
      const sent = request({
        signal: patience,
        agent: agents[server],
        host: "127.0.0.1",
        port: ports[server],
        method,
        path: path.replace(/\{\w+\}/, id ?? ""),
        headers: {
          "x-api-key": key,
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
        }
      })
      const breakOff = (error: Error) =>
        resolve({
          ...attempted,
          _tag: "Broken",
          to: now(),
          error: patience.aborted ? (hangsUp ? "hung up" : NO_RESPONSE) : codeOf(error),
          hadBegun,
          wasReused: sent.reusedSocket,
          byUs: (hangsUp && patience.aborted) || (sent.socket !== null && cutByUs.has(sent.socket))
        })
      sent.on("error", breakOff)
      sent.on("response", (response) => {
        hadBegun = true
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", breakOff)
        response.on("end", () =>
          resolve({
            ...attempted,
            _tag: "Reply",
            to: now(),
            status: response.statusCode ?? 0,
            body: readJson(Buffer.concat(chunks).toString("utf8")),
            requestId: headerOf(response, "x-request-id") ?? "",
            isReplayed: headerOf(response, "idempotency-replayed") === "true",
            retryAfter: headerOf(response, "retry-after")
          })
        )
      })
      sent.end(text)
    })

  return {
    call,
    cut: (random, share) => {
      const busy = agents.flatMap(({ sockets }) => Object.values(sockets).flatMap((each) => each ?? []))
      const chosen = busy.filter(() => random.chance(share))
      for (const socket of chosen) {
        cutByUs.add(socket)
        socket.destroy()
      }
      return chosen.length
    },
    forgetIdle: () => {
      for (const { freeSockets } of agents) {
        for (const socket of Object.values(freeSockets).flatMap((each) => each ?? [])) socket.destroy()
      }
    },
    close: () => {
      for (const agent of agents) agent.destroy()
    }
  }
}
