import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { plainAddress, signInNetwork } from "../../domain/Networks.ts"
import type { OutgoingResponse } from "./IncomingRequest.ts"

/** The bytes that the system has not taken yet of the write in progress. Node's own time-out for sockets looks there. */
const bytesInProgress = (socket: Socket): number => {
  const handle: unknown = Reflect.get(socket, "_handle")
  const size: unknown = typeof handle === "object" && handle !== null && Reflect.get(handle, "writeQueueSize")
  return typeof size === "number" ? size : 0
}

/** While so many requests wait for their turn, nothing more is read of their connection. */
const ENOUGH_WAITING = 16

/** An open connection: its requests that wait for their turn, and what its client has not read. */
class Connection {
  readonly socket: Socket
  /** The client's network, for its share of the connections. */
  readonly network: string
  /** Monotonic milliseconds. */
  readonly openedAt: number
  /** The response to the last request that arrived. */
  last: OutgoingResponse | null = null
  /** When the last response was sent and read. */
  idleSince: number
  #waiting = 0
  #isWatched = false
  #unsent = 0
  #inProgress = 0
  #stalledSince = 0

  constructor(socket: Socket, now: number) {
    this.socket = socket
    this.network = signInNetwork(plainAddress(socket.remoteAddress ?? ""))
    this.openedAt = now
    this.idleSince = now
  }

  /** How many requests wait until those before are answered. */
  get waiting(): number {
    return this.#waiting
  }

  /** Whether its client has sent a complete request, and nothing of it is left to do or to send. */
  get isIdle(): boolean {
    return this.last !== null && this.last.req.complete && this.last.writableFinished
  }

  /** Whether its client has sent no complete request yet, or not the whole of the last one. */
  get isIncomplete(): boolean {
    return this.last?.req.complete !== true
  }

  /** Whether not a byte has arrived. */
  get isUnused(): boolean {
    return this.socket.bytesRead === 0
  }

  addWaiting(): void {
    this.#waiting += 1
    if (this.#waiting !== ENOUGH_WAITING) return
    this.socket.pause()
    if (this.#isWatched) return
    this.#isWatched = true
    // Node resumes a socket whenever a request's body is read.
    this.socket.on("resume", () => {
      if (this.#waiting >= ENOUGH_WAITING) this.socket.pause()
    })
  }

  removeWaiting(): void {
    this.#waiting -= 1
    if (this.#waiting === ENOUGH_WAITING - 1) this.socket.resume()
  }

  /** Bytes that this process keeps for the client. The console's files and the documents are there once, for everybody. */
  get unsent(): number {
    return this.last?.admission?.traits.load === "asset" ? 0 : this.#unsent
  }

  /** Since when the client has read nothing of what is written; null if nothing is left to send. */
  stalledSince(now: number): number | null {
    const { writableLength } = this.socket
    if (writableLength === 0) {
      this.#unsent = 0
      return null
    }
    const inProgress = bytesInProgress(this.socket)
    const hasMoved = this.#unsent !== writableLength || this.#inProgress !== inProgress
    this.#unsent = writableLength
    this.#inProgress = inProgress
    if (hasMoved) this.#stalledSince = now
    return this.#stalledSince
  }
}

interface Closing {
  readonly socket: Duplex
  /** Null once the socket is ended. */
  readonly request: IncomingMessage | null
  readonly deadline: number
}

/** How long a client may take to read the last response of its connection. */
const GRACE_MILLIS = 500

/** Connections that are closed after a time, unless their clients close them or finish in time. */
export class ClosingSockets {
  readonly #closing = new Set<Closing>()
  readonly #ended = new WeakSet<Duplex>()

  /** Ends a connection with a response. Closing at once would lose the response while bytes are unread. */
  endWith(socket: Duplex, response: string | null): void {
    this.#ended.add(socket)
    if (response === null) socket.end()
    else socket.end(response)
    this.#closing.add({ socket, request: null, deadline: performance.now() + GRACE_MILLIS })
  }

  /** Whether the connection has had its last response, which its client may still be reading. */
  isEnded(socket: Duplex): boolean {
    return this.#ended.has(socket)
  }

  /** The response came before the request's body: the rest of the body has until then to arrive. */
  drain(request: IncomingMessage, deadline: number): void {
    if (request.socket.destroyed) return
    this.#closing.add({ socket: request.socket, request, deadline })
  }

  closeOverdue(now: number): void {
    for (const closing of this.#closing) {
      const { socket, request, deadline } = closing
      if (socket.destroyed || request?.complete === true) this.#closing.delete(closing)
      else if (deadline <= now) socket.destroy()
    }
  }
}

/** Unless the operator sets others. A proxy in front must close idle connections earlier than Peyk does. */
export const defaultConnections: ConnectionBounds = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 2048,
  keepAliveMillis: 75_000,
  writeTimeoutMillis: 10_000
}

export interface ConnectionBounds {
  /** More connections are closed on arrival. */
  readonly maxConnections: number
  /** More of one client's address (in IPv6: of one /64) are closed on arrival; 0: no bound. */
  readonly maxConnectionsPerAddress: number
  /** How long a connection may be idle. */
  readonly keepAliveMillis: number
  /** How long a client may read nothing of what is written to it. */
  readonly writeTimeoutMillis: number
}

/** The used share of the connections from which on Peyk closes those that do nothing. */
const CROWDED = 0.9
const EVICTED_AT_ONCE = 0.05

/** What a process keeps at most for clients that do not read. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024

/**
 * Requests that wait for their turn, of all connections. Hardly any client sends two without waiting. Node's parser cannot
 * stop within one read of a connection (64 KiB), which has at most about 3600.
 */
const MAX_WAITING = 4096

/** The open connections, limited in number, also for each address, and in what they keep for slow readers. */
export class OpenSockets {
  readonly #bounds: ConnectionBounds
  /** The oldest first. */
  readonly #connections = new Map<Duplex, Connection>()
  readonly #byNetwork = new Map<string, number>()
  /** Requests that wait until those before on their connections are answered. */
  #waiting = 0
  #evicted = 0
  #dropped = 0
  #unread = 0
  #unsent = 0

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#connections.size
  }

  /** Connections closed to make room, on which no request was in progress. */
  get evicted(): number {
    return this.#evicted
  }

  /** Connections closed on arrival because their address had too many. */
  get dropped(): number {
    return this.#dropped
  }

  /** Connections closed because their clients did not read. */
  get unread(): number {
    return this.#unread
  }

  /** Bytes that are kept for clients until they read them. */
  get unsent(): number {
    return this.#unsent
  }

  add(socket: Socket): void {
    const connection = new Connection(socket, performance.now())
    const { maxConnections, maxConnectionsPerAddress: max } = this.#bounds
    const others = this.#byNetwork.get(connection.network) ?? 0
    if (max > 0 && others >= max) {
      this.#dropped += 1
      socket.destroy()
      return
    }
    if (this.#connections.size >= maxConnections * CROWDED) this.#makeRoom()
    this.#byNetwork.set(connection.network, others + 1)
    this.#connections.set(socket, connection)
    socket.once("close", () => this.#remove(connection))
  }

  #remove({ socket, network, waiting }: Connection): void {
    if (!this.#connections.delete(socket)) return
    this.#waiting -= waiting
    const left = (this.#byNetwork.get(network) ?? 1) - 1
    if (left === 0) this.#byNetwork.delete(network)
    else this.#byNetwork.set(network, left)
  }

  /** None if it is closed. */
  of(socket: Duplex): Connection | undefined {
    return this.#connections.get(socket)
  }

  /** A request waits for its turn on the connection. False if the connection is closed, because too many do there. */
  beginWait(connection: Connection): boolean {
    if (this.#waiting >= MAX_WAITING) this.#closeGreediest()
    if (!this.#connections.has(connection.socket)) return false
    connection.addWaiting()
    this.#waiting += 1
    return true
  }

  /** Whoever sends the most makes room for the others, who would otherwise be closed for a second request. */
  #closeGreediest(): void {
    let greediest: Connection | null = null
    for (const each of this.#connections.values()) {
      if (greediest === null || each.waiting > greediest.waiting) greediest = each
    }
    if (greediest === null) return
    greediest.socket.destroy()
    this.#remove(greediest)
  }

  /** Its turn has come. False if the connection is closed. */
  endWait(connection: Connection): boolean {
    if (!this.#connections.has(connection.socket)) return false
    connection.removeWaiting()
    this.#waiting -= 1
    return true
  }

  /**
   * Closes connections: first those, the oldest first, whose clients have not sent a complete request, then those between
   * two requests, the longest idle first.
   */
  #makeRoom(): void {
    const open = [...this.#connections.values()]
    const idle = open.filter((connection) => connection.isIdle)
    const candidates = [
      ...open.filter((connection) => connection.isIncomplete),
      ...idle.sort((a, b) => a.idleSince - b.idleSince)
    ]
    const count = Math.ceil(this.#bounds.maxConnections * EVICTED_AT_ONCE)
    for (const connection of candidates.slice(0, count)) {
      connection.socket.destroy()
      // At once, so that the next arrival in this turn finds the room.
      this.#remove(connection)
      this.#evicted += 1
    }
  }

  /** Closes the connections whose clients do not read, or have never sent a request. */
  closeOverdue(now: number, headMillis: number): void {
    const { writeTimeoutMillis, keepAliveMillis } = this.#bounds
    const stalled: Array<readonly [since: number, connection: Connection]> = []
    let unsent = 0
    for (const connection of this.#connections.values()) {
      const since = connection.stalledSince(now)
      if (since === null) {
        // Node counts the time of a head once it has begun, and that between two requests. It no longer looks at a
        // connection that was silent for the time of a head: empty lines may then come, and nothing else.
        const limit = connection.isUnused ? keepAliveMillis : keepAliveMillis + headMillis
        if (connection.last === null && now - connection.openedAt > limit) connection.socket.destroy()
      } else if (now - since >= writeTimeoutMillis) {
        this.#closeUnread(connection)
      } else {
        unsent += connection.unsent
        stalled.push([since, connection])
      }
    }
    if (unsent > MAX_UNSENT_BYTES) unsent = this.#closeSlowest(stalled, unsent)
    this.#unsent = unsent
  }

  /** With a reset: after an ordinary close, the system would keep for minutes what the client does not read. */
  #closeUnread({ socket }: Connection): void {
    this.#unread += 1
    socket.resetAndDestroy()
  }

  /** Closes the connections whose clients have read nothing for longest, until the rest is not too much. */
  #closeSlowest(stalled: Array<readonly [since: number, connection: Connection]>, unsent: number): number {
    let left = unsent
    for (const [, connection] of stalled.sort(([a], [b]) => a - b)) {
      if (left <= MAX_UNSENT_BYTES) break
      left -= connection.unsent
      this.#closeUnread(connection)
    }
    return left
  }

  /** Closes the connections on which no request has arrived: Node no longer looks at those that are old. */
  closeUnused(): void {
    for (const { socket, last } of this.#connections.values()) if (last === null) socket.destroy()
  }
}
