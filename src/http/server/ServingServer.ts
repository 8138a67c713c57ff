import { Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { LinkedSet } from "../../services/concurrency/LinkedSet.ts"
import { Admission } from "./Admission.ts"
import { BodyWaits } from "./BodyWaits.ts"
import type { TakeRequest } from "./FastPath.ts"
import { IncomingRequest } from "./IncomingRequest.ts"
import type { OverloadGate, OverloadSnapshot } from "./OverloadGate.ts"
import { announcesBody } from "./RequestBody.ts"
import { answerRaw, rawResponse } from "./RawErrors.ts"
import { classOf } from "./RequestClass.ts"
import { requestIdFor } from "./RequestIds.ts"
import { ClosingSockets } from "./sockets/ClosingSockets.ts"
import { OpenSockets } from "./sockets/OpenSockets.ts"
import { UnreadableRequests } from "./sockets/UnreadableRequests.ts"

export interface ServingOptions {
  /** More connections are closed on arrival. */
  readonly maxConnections: number
  /** The longest time for a response. */
  readonly requestTimeoutMillis: number
  /** The longest time from a request's headers to its complete body. */
  readonly bodyTimeoutMillis: number
}

export interface ServingSnapshot extends OverloadSnapshot {
  readonly connections: number
  readonly maxConnections: number
  /** Connections closed because there were too many. */
  readonly dropped: number
  /** Requests that wait for their bodies, and those given up. */
  readonly waitingForBody: number
  readonly bodiesGivenUp: number
  /** Connections closed to make room, none of whose requests was complete. */
  readonly evicted: number
}

/** The longest time for the headers of a request. */
const HEADERS_TIMEOUT_MILLIS = 10_000
const CHECK_MILLIS = 1000

/** Every machine has memory for this many bodies of the usual size. */
const MAX_BODY_WAITS = 1024

/**
 * The only transfer coding that is supported. Node's parser refuses others too, but only after it dispatches the
 * request.
 */
const hasUnknownCoding = ({ headers }: IncomingRequest): boolean => {
  const coding = headers["transfer-encoding"]
  return coding !== undefined && coding.trim().toLowerCase() !== "chunked"
}

/**
 * Node's server with everything before the router: it returns an envelope even for what Node's own parser refuses,
 * sheds excess load, and stops without failing a request that it has read.
 */
export class ServingServer extends Server {
  readonly #gate: OverloadGate
  readonly #options: ServingOptions
  readonly #takeFast: TakeRequest
  readonly #sockets: OpenSockets
  /** The requests in progress, the oldest first. */
  readonly #open = new LinkedSet<Admission>()
  readonly #waits: BodyWaits
  readonly #closing = new ClosingSockets()
  readonly #unreadable: UnreadableRequests
  /** Requests that came while the server listened but had no handler yet. */
  readonly #early: Array<() => void> = []
  #dropped = 0
  #isStopping = false

  /** @param takeFast is called for each admitted request before any listener */
  constructor(gate: OverloadGate, options: ServingOptions, takeFast: TakeRequest) {
    // Only HTTP is supported: a client that offers another protocol gets a normal response, and passes the gate.
    super({
      IncomingMessage: IncomingRequest,
      requireHostHeader: false,
      shouldUpgradeCallback: () => false,
      headersTimeout: HEADERS_TIMEOUT_MILLIS,
      connectionsCheckingInterval: CHECK_MILLIS
    })
    const { maxConnections, bodyTimeoutMillis } = options
    this.#gate = gate
    this.#options = options
    this.#takeFast = takeFast
    this.#sockets = new OpenSockets(maxConnections)
    this.#unreadable = new UnreadableRequests(this.#sockets, this.#closing)
    this.#waits = new BodyWaits(bodyTimeoutMillis, Math.min(MAX_BODY_WAITS, Math.ceil(maxConnections / 2)))
    this.maxConnections = maxConnections
    this.on("connection", (socket: Socket) => this.#sockets.add(socket))
    this.on("drop", () => {
      this.#dropped += 1
    })
    this.on("newListener", (event) => {
      if (event === "request") setImmediate(() => this.#early.splice(0).forEach((dispatch) => dispatch()))
    })
    this.on("clientError", (error, socket) => this.#unreadable.refuse(error, socket))
    // Without a listener Node closes the connection without a response.
    this.on("connect", (_request, socket) => this.#refuseConnect(socket))
    // An unknown expectation is no reason to refuse a request (RFC 9110, 10.1.1).
    this.on("checkExpectation", (request, response) => void this.emit("request", request, response))
  }

  /** Requests pass the gate, then the fast path, before any listener sees them. */
  override emit(event: string | symbol, ...args: Array<unknown>): boolean {
    const [request, response] = args
    const isRequest = event === "request" || event === "checkContinue"
    if (isRequest && request instanceof IncomingRequest && response instanceof ServerResponse) {
      if (!this.#admit(request, response)) return true
      const dispatch = () => this.#dispatch(event, request, response)
      if (this.listenerCount("request") > 0) dispatch()
      else this.#early.push(dispatch)
      return true
    }
    return super.emit(event, ...args)
  }

  #dispatch(event: string, request: IncomingRequest, response: ServerResponse): void {
    const emitToOthers = () => void super.emit(event, request, response)
    if (event !== "request" || !this.#takeFast(request, response, emitToOthers)) emitToOthers()
  }

  #admit(request: IncomingRequest, response: ServerResponse): boolean {
    const { method = "", url = "", socket } = request
    if (hasUnknownCoding(request)) {
      const answer = rawResponse("bad_request", requestIdFor(request.headers["x-request-id"]))
      // Without its turn on the connection, its response would look like that of an earlier request.
      if (response.socket === socket) this.#closing.endWith(socket, answer)
      else socket.destroy()
      return false
    }
    const kind = classOf(method, url)
    const now = performance.now()
    const admission = new Admission(response, kind, now, { gate: this.#gate, waits: this.#waits })
    if (!socket.destroyed) this.#sockets.admit(socket, admission)
    if (this.#isStopping) response.shouldKeepAlive = false
    const isLeaving = this.#isStopping && url === "/readyz"
    if (isLeaving || !admission.begin(announcesBody(request.headers))) {
      response.on("close", () => this.#drain(request, admission))
      answerRaw("service_unavailable", request, response)
      return false
    }
    request.admittedAs(admission)
    const link = this.#open.add(admission)
    response.on("close", () => {
      if (this.#open.remove(link)) admission.leave()
      this.#drain(request, admission)
    })
    return true
  }

  #drain(request: IncomingRequest, admission: Admission): void {
    if (!request.complete) this.#closing.drain(request, this.#waits.deadlineOf(admission))
  }

  /** Node has just removed its own listeners from the socket. Without any, a connection reset ends the process. */
  #refuseConnect(socket: Duplex): void {
    socket.on("error", () => socket.destroy())
    socket.once("close", () => {
      const unanswered = [...this.#open].filter(({ response }) => response.req.socket === socket)
      // Node notifies the request whose turn it was, and not those behind it.
      for (const { response } of unanswered) response.emit("close")
    })
    this.#unreadable.refuse(new Error("CONNECT is not served"), socket)
  }

  /** Gives up requests that wait too long for a body or a response, so that nothing is held forever. */
  endOverdue(): void {
    const now = performance.now()
    this.#waits.giveUpOverdue(now)
    this.#closing.closeOverdue(now)
    const begun = now - this.#options.requestTimeoutMillis
    for (const { response, since } of this.#open) {
      if (since > begun) return
      const { socket, req } = response
      if (socket === null || this.#closing.isEnded(socket)) continue
      if (response.headersSent) socket.destroy()
      else {
        const answer = rawResponse("service_unavailable", requestIdFor(req.headers["x-request-id"]))
        this.#closing.endWith(socket, answer)
      }
    }
  }

  /** Accepts no new connections. Requests on open ones still get a response, each as the last of its connection. */
  stopAccepting(): void {
    this.#isStopping = true
    for (const { response } of this.#open) response.shouldKeepAlive = false
    // Not super.close, which would end idle connections at once, even if a request is on its way.
    NetServer.prototype.close.call(this)
  }

  /** Ends the idle connections. */
  endIdle(): void {
    this.closeIdleConnections()
    this.#sockets.closeUnused()
  }

  get isIdle(): boolean {
    return this.#sockets.size === 0
  }

  snapshot(): ServingSnapshot {
    return {
      ...this.#gate.snapshot(),
      connections: this.#sockets.size,
      maxConnections: this.#options.maxConnections,
      dropped: this.#dropped,
      waitingForBody: this.#waits.size,
      bodiesGivenUp: this.#waits.givenUp,
      evicted: this.#sockets.evicted
    }
  }
}
