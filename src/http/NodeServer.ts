import { IncomingMessage, Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { UnderWay } from "../services/UnderWay.ts"
import type { DirectHandler } from "./DirectRoutes.ts"
import type { OverloadGate, OverloadSnapshot } from "./OverloadGate.ts"
import { answerRaw, rawResponse } from "./RawErrors.ts"
import { classOf } from "./RequestClass.ts"
import { requestIdFor } from "./RequestIds.ts"

interface OpenRequest {
  readonly response: ServerResponse
  /** Monotonic milliseconds. */
  readonly since: number
}

export interface ServingOptions {
  /** More of them are closed as they come. */
  readonly maxConnections: number
  /** No answer takes longer than this. */
  readonly requestTimeoutMillis: number
}

export interface ServingSnapshot extends OverloadSnapshot {
  readonly connections: number
  readonly maxConnections: number
  /** Connections closed because there were too many. */
  readonly dropped: number
}

const isHeaderOverflow = (error: Error): boolean => "code" in error && error.code === "HPE_HEADER_OVERFLOW"

/**
 * Node's server with what stands before the router: it answers with an envelope even what Node's own parser refuses, turns
 * away what is more than can be done, and comes to its end without failing a request that it has read.
 */
export class ServingServer extends Server {
  /** Answers what it can past the router. */
  direct: DirectHandler = () => false
  readonly #gate: OverloadGate
  readonly #options: ServingOptions
  /** With what was last asked on each. */
  readonly #sockets = new Map<Duplex, ServerResponse | null>()
  /** What is being answered, the oldest first. */
  readonly #open = new UnderWay<OpenRequest>()
  /** Requests that came while the server listened already, and nobody was there yet to answer them. */
  readonly #early: Array<() => void> = []
  #dropped = 0
  #isStopping = false

  constructor(gate: OverloadGate, options: ServingOptions) {
    // Nothing is spoken here but HTTP: who offers another protocol is answered all the same, and passes the gate.
    super({ requireHostHeader: false, shouldUpgradeCallback: () => false })
    this.#gate = gate
    this.#options = options
    this.maxConnections = options.maxConnections
    this.on("connection", (socket: Socket) => {
      this.#sockets.set(socket, null)
      socket.once("close", () => this.#sockets.delete(socket))
    })
    this.on("drop", () => {
      this.#dropped += 1
    })
    this.on("newListener", (event) => {
      if (event === "request") setImmediate(() => this.#early.splice(0).forEach((dispatch) => dispatch()))
    })
    this.on("clientError", (error, socket) => this.#refuse(error, socket))
    // An expectation that we do not know is no reason to refuse a request (RFC 9110, 10.1.1).
    this.on("checkExpectation", (request, response) => void this.emit("request", request, response))
  }

  /** Requests pass the gate, and then the direct handler is asked, before any listener sees them. */
  override emit(event: string | symbol, ...args: Array<unknown>): boolean {
    const [request, response] = args
    const isRequest = event === "request" || event === "checkContinue"
    if (isRequest && request instanceof IncomingMessage && response instanceof ServerResponse) {
      if (!this.#admit(request, response)) return true
      const dispatch = () => this.#dispatch(event, request, response)
      if (this.listenerCount("request") > 0) dispatch()
      else this.#early.push(dispatch)
      return true
    }
    return super.emit(event, ...args)
  }

  #dispatch(event: string, request: IncomingMessage, response: ServerResponse): void {
    const tellOthers = () => void super.emit(event, request, response)
    if (event !== "request" || !this.direct(request, response, tellOthers)) tellOthers()
  }

  #admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { method = "", url = "" } = request
    if (!request.socket.destroyed) this.#sockets.set(request.socket, response)
    if (this.#isStopping) response.shouldKeepAlive = false
    const now = performance.now()
    const kind = classOf(method, url)
    const isLeaving = this.#isStopping && url === "/readyz"
    if (isLeaving || !this.#gate.enter(kind, now)) {
      answerRaw("service_unavailable", request, response)
      return false
    }
    const begun = this.#open.begin({ response, since: now })
    response.on("close", () => {
      if (this.#open.end(begun)) this.#gate.leave(kind)
    })
    return true
  }

  #refuse(error: Error, socket: Duplex): void {
    // An answer now would be taken for that of the request before.
    if (!socket.writable || this.#sockets.get(socket)?.writableFinished === false) {
      socket.destroy()
    } else {
      socket.end(rawResponse(isHeaderOverflow(error) ? "headers_too_large" : "bad_request"))
    }
  }

  /** Gives up on what has been without an answer for too long, so that nothing is held for ever. */
  endOverdue(): void {
    const begun = performance.now() - this.#options.requestTimeoutMillis
    for (const { response, since } of this.#open) {
      if (since > begun) return
      const { socket, req } = response
      if (response.headersSent) socket?.destroy()
      else socket?.end(rawResponse("service_unavailable", requestIdFor(req.headers["x-request-id"])))
    }
  }

  /** No new connections; on those there are, what comes is still answered, as the last. */
  stopAccepting(): void {
    this.#isStopping = true
    for (const { response } of this.#open) response.shouldKeepAlive = false
    // Not our parent's, which would end idle connections at once, with requests perhaps on their way.
    NetServer.prototype.close.call(this)
  }

  /** Ends the connections on which nothing is asked. */
  endIdle(): void {
    this.closeIdleConnections()
    for (const socket of this.#sockets.keys())
      if ("bytesRead" in socket && socket.bytesRead === 0) socket.destroy()
  }

  get isIdle(): boolean {
    return this.#sockets.size === 0
  }

  snapshot(): ServingSnapshot {
    return {
      ...this.#gate.snapshot(),
      connections: this.#sockets.size,
      maxConnections: this.#options.maxConnections,
      dropped: this.#dropped
    }
  }
}
