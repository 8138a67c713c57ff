import { Server } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { ErrorCode } from "../errors/ErrorTable.ts"
import { Admission, BodyWaits, type Counts, type OverloadGate, type OverloadSnapshot } from "./Gate.ts"
import { announcesBody, IncomingRequest, OutgoingResponse, requestIdFor } from "./IncomingRequest.ts"
import { LoopTurns } from "./LoopTurns.ts"
import { ClosingSockets, type ConnectionBounds, OpenSockets } from "./OpenSockets.ts"
import { type FindPath, pathOf, type RouteTraits, unmatched } from "../RouteTable.ts"
import { READINESS_PATH } from "../system/SystemApi.ts"
import type { TakeRequest } from "./Serving.ts"
import { RawErrors, UnreadableRequests } from "./UnreadableRequests.ts"
import { LinkedSet } from "../../services/concurrency/Collections.ts"

export interface ServingOptions extends ConnectionBounds {
  readonly findPath: FindPath
  /** The longest time for a response. */
  readonly requestTimeoutMillis: number
  /**
   * The longest time for a response while connections to the store are silent, without the time of providers. Several
   * waits of one request would add up.
   */
  readonly silentStoreMillis: number
  /** Whether a connection to the store fell silent within that time. */
  readonly isStoreSilent: () => boolean
  /** The longest time from a request's headers to its complete body. */
  readonly bodyTimeoutMillis: number
  /** The names that are served as Host, next to those of this machine itself; null: every name. */
  readonly hosts: ReadonlyArray<string> | null
  /** The address under which clients reach this service, if it is set. */
  readonly publicUrl: string | null
}

export interface ServingSnapshot extends OverloadSnapshot {
  readonly connections: number
  readonly maxConnections: number
  /** Connections closed because there were too many. */
  readonly dropped: number
  /** Requests that wait for their bodies, and those given up. */
  readonly waitingForBody: number
  readonly bodiesGivenUp: number
  /** Connections closed to make room, on which no request was in progress. */
  readonly evicted: number
  /** Connections closed because their clients did not read, and the bytes that wait for the others to read. */
  readonly unread: number
  readonly unsentBytes: number
}

/** The longest time for the headers of a request, from their first byte. */
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

const isTimeout = (error: Error): boolean => "code" in error && error.code === "ERR_HTTP_REQUEST_TIMEOUT"

/**
 * Node's server with everything before the router: it returns an envelope even for what Node's own parser refuses,
 * sheds excess load, and stops without failing a request that it has read.
 */
export class ServingServer extends Server<typeof IncomingRequest, typeof OutgoingResponse> {
  readonly #gate: OverloadGate
  readonly #options: ServingOptions
  readonly #takeFast: TakeRequest
  readonly #sockets: OpenSockets
  readonly #hosts: ServedHosts
  readonly #errors: RawErrors
  /** The requests that the application works on, the oldest first. */
  readonly #open = new LinkedSet<Admission>()
  readonly #streams = new LinkedSet<() => void>()
  readonly #waits: BodyWaits
  readonly #counts: Counts
  readonly #turns = new LoopTurns()
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
      ServerResponse: OutgoingResponse,
      requireHostHeader: false,
      shouldUpgradeCallback: () => false,
      headersTimeout: HEADERS_TIMEOUT_MILLIS,
      keepAliveTimeout: options.keepAliveMillis,
      connectionsCheckingInterval: CHECK_MILLIS
    })
    const { maxConnections, bodyTimeoutMillis } = options
    this.#gate = gate
    this.#options = options
    this.#takeFast = takeFast
    this.#hosts = new ServedHosts(options.hosts)
    this.#errors = new RawErrors(options.publicUrl)
    this.#sockets = new OpenSockets(options)
    this.#unreadable = new UnreadableRequests(this.#sockets, this.#closing, this.#errors)
    this.#waits = new BodyWaits(bodyTimeoutMillis, Math.min(MAX_BODY_WAITS, Math.ceil(maxConnections / 2)))
    this.#counts = { gate, waits: this.#waits, open: this.#open, streams: this.#streams }
    this.maxConnections = maxConnections
    this.#listen()
  }

  #listen(): void {
    this.on("connection", (socket: Socket) => this.#sockets.add(socket))
    this.on("drop", () => {
      this.#dropped += 1
    })
    this.on("newListener", (event) => {
      if (event === "request") setImmediate(() => this.#early.splice(0).forEach((dispatch) => dispatch()))
    })
    this.on("clientError", (error, socket) => {
      // The time for headers counts from their first byte; Node counts it from the connection.
      if (isTimeout(error) && this.#sockets.of(socket)?.isUnused === true) return
      this.#unreadable.refuse(error, socket)
    })
    // Without a listener Node closes the connection without a response.
    this.on("connect", (_request, socket) => this.#refuseConnect(socket))
    // An unknown expectation is no reason to refuse a request (RFC 9110, 10.1.1).
    this.on("checkExpectation", (request, response) => void this.emit("request", request, response))
  }

  /** Requests wait for their turn, and pass the gate, then the fast path, before any listener sees them. */
  override emit(event: string | symbol, ...args: Array<unknown>): boolean {
    const [request, response] = args
    const isRequest = event === "request" || event === "checkContinue"
    if (isRequest && request instanceof IncomingRequest && response instanceof OutgoingResponse) {
      this.#receive(event, request, response)
      return true
    }
    return super.emit(event, ...args)
  }

  /**
   * On a connection only the request whose turn it is counts, and does work. Those that were sent before their turn, and
   * those for large files, come after what other connections have ready.
   */
  #receive(event: string, request: IncomingRequest, response: OutgoingResponse): void {
    const { socket } = request
    const connection = this.#sockets.of(socket)
    if (connection !== undefined) connection.last = response
    if (hasUnknownCoding(request)) return this.#refuseCoding(request, response)
    const traits = this.#traitsOf(request)
    const isItsTurn = response.socket === socket
    if (isItsTurn && traits.load !== "asset") return this.#begin(event, request, response, traits)
    // The connection is closed already.
    if (connection === undefined) return
    if (!this.#sockets.beginWait(connection)) return void socket.destroy()
    const begin = () => {
      const before = socket.bytesWritten
      if (this.#sockets.endWait(connection)) this.#begin(event, request, response, traits)
      return socket.bytesWritten - before
    }
    if (isItsTurn) this.#turns.add(begin)
    else response.whenItsTurnComes(() => this.#turns.add(begin))
  }

  #traitsOf(request: IncomingRequest): RouteTraits {
    request.served = this.#options.findPath(pathOf(request.url ?? ""))
    return request.served?.traitsOf(request.method ?? "") ?? unmatched
  }

  #begin(event: string, request: IncomingRequest, response: OutgoingResponse, traits: RouteTraits): void {
    if (!this.#admit(request, response, traits)) return
    if (this.listenerCount("request") > 0) this.#dispatch(event, request, response)
    else this.#early.push(() => this.#dispatch(event, request, response))
  }

  #dispatch(event: string, request: IncomingRequest, response: OutgoingResponse): void {
    const emitToOthers = () => void super.emit(event, request, response)
    if (event !== "request" || !this.#takeFast(request, response, emitToOthers)) emitToOthers()
  }

  #refuseCoding(request: IncomingRequest, response: OutgoingResponse): void {
    const { socket } = request
    const bytes = this.#errors.bytes("bad_request", requestIdFor(request.headers["x-request-id"]))
    // Without its turn on the connection, its response would look like that of an earlier request.
    if (response.socket === socket) this.#closing.endWith(socket, bytes)
    else socket.destroy()
  }

  #admit(request: IncomingRequest, response: OutgoingResponse, traits: RouteTraits): boolean {
    const admission = new Admission(response, traits, performance.now(), this.#counts)
    if (this.#isStopping) response.shouldKeepAlive = false
    response.on("close", () => {
      admission.leave()
      this.#endTurn(request, admission)
    })
    const refusal = this.#hosts.refusalOf(request, traits.load === "vital")
    if (refusal !== undefined) {
      this.#errors.respond(refusal, request, response)
      return false
    }
    const isLeaving = this.#isStopping && request.served?.template === READINESS_PATH
    const hasBody = announcesBody(request.headers) && !request.complete
    if (isLeaving || !admission.begin(hasBody)) {
      this.#errors.respond("service_unavailable", request, response)
      return false
    }
    request.admittedAs(admission)
    response.admittedAs(admission)
    return true
  }

  /** The response is sent, or the client is gone. */
  #endTurn(request: IncomingRequest, admission: Admission): void {
    const connection = this.#sockets.of(request.socket)
    if (connection !== undefined) connection.idleSince = performance.now()
    if (!request.complete) this.#closing.drain(request, this.#waits.deadlineOf(admission))
  }

  /** Node has just removed its own listeners from the socket. Without any, a connection reset ends the process. */
  #refuseConnect(socket: Duplex): void {
    socket.on("error", () => socket.destroy())
    this.#unreadable.refuse(new Error("CONNECT is not served"), socket)
  }

  /** Gives up requests that wait too long for a body or a response, so that nothing is held forever. */
  endOverdue(): void {
    const now = performance.now()
    this.#sockets.closeOverdue(now, this.headersTimeout)
    this.#waits.giveUpOverdue(now)
    this.#closing.closeOverdue(now)
    const { requestTimeoutMillis, silentStoreMillis, isStoreSilent } = this.#options
    const begun = now - requestTimeoutMillis
    const isSilent = isStoreSilent()
    const newest = isSilent ? Math.max(begun, now - silentStoreMillis) : begun
    for (const admission of this.#open) {
      const { response, since } = admission
      if (since > newest) return
      if (since <= begun) this.#giveUp(response)
      else if (!response.headersSent && admission.ownMillis(now) >= silentStoreMillis) this.#giveUp(response)
    }
  }

  /** The application goes on with what it began. */
  #giveUp(response: OutgoingResponse): void {
    const { socket, req } = response
    if (socket === null || this.#closing.isEnded(socket)) return
    if (response.headersSent) return void socket.destroy()
    const bytes = this.#errors.bytes("service_unavailable", requestIdFor(req.headers["x-request-id"]))
    this.#closing.endWith(socket, bytes)
  }

  /** Accepts no new connections. Requests on open ones still get a response, each as the last of its connection; streams end. */
  stopAccepting(): void {
    this.#isStopping = true
    for (const { response } of this.#open) response.shouldKeepAlive = false
    for (const end of this.#streams) end()
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
      dropped: this.#dropped + this.#sockets.dropped,
      waitingForBody: this.#waits.size,
      bodiesGivenUp: this.#waits.givenUp,
      evicted: this.#sockets.evicted,
      unread: this.#sockets.unread,
      unsentBytes: this.#sockets.unsent
    }
  }
}

/** So many names are remembered; clients can send any. */
const MAX_CACHED = 256
/** No name is longer, with its port. */
const MAX_LENGTH = 261

const LOOPBACK = /^(?:(?:[^:/]+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** The name in a Host header: without its port, and without the dot that ends a full name. */
const nameIn = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/(?<=.)\.$/, "")

const countHosts = ({ rawHeaders }: IncomingRequest): number => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1
  }
  return count
}

/**
 * The names under which Peyk is served. A page of another site can give its own name a loopback address, and would then
 * read what only this machine may read: its requests still name that site as Host.
 */
class ServedHosts {
  /** Null: every name is served. */
  readonly #names: ReadonlySet<string> | null
  readonly #cache = new Map<string, boolean>()

  constructor(names: ReadonlyArray<string> | null) {
    this.#names = names === null ? null : new Set(names.map(nameIn))
  }

  /** What is wrong with a request's Host, if anything. Health checks and metrics are served under any Host and none. */
  refusalOf(request: IncomingRequest, isVital: boolean): ErrorCode | undefined {
    const { host } = request.headers
    if (host === undefined) {
      const mustHave = request.httpVersionMajor === 1 && request.httpVersionMinor === 1
      return mustHave && !isVital ? "bad_request" : undefined
    }
    if (countHosts(request) > 1) return "bad_request"
    if (this.#names === null || this.#isServed(host)) return undefined
    return isVital ? undefined : "misdirected_request"
  }

  #isServed(host: string): boolean {
    if (host.length > MAX_LENGTH) return false
    const known = this.#cache.get(host)
    if (known !== undefined) return known
    const name = nameIn(host)
    const isServed = LOOPBACK.test(name) || this.#names?.has(name) === true
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    this.#cache.set(host, isServed)
    return isServed
  }
}
