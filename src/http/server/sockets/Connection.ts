import type { Socket } from "node:net"
import { plainAddress, signInNetwork } from "../../../domain/Networks.ts"
import type { OutgoingResponse } from "../OutgoingResponse.ts"

/** The bytes that the system has not taken yet of the write in progress. Node's own time-out for sockets looks there. */
const bytesInProgress = (socket: Socket): number => {
  const handle: unknown = Reflect.get(socket, "_handle")
  const size: unknown = typeof handle === "object" && handle !== null && Reflect.get(handle, "writeQueueSize")
  return typeof size === "number" ? size : 0
}

/** While so many requests wait for their turn, nothing more is read of their connection. */
const ENOUGH_WAITING = 16

/** An open connection: its requests that wait for their turn, and what its client has not read. */
export class Connection {
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
    return this.last?.admission?.kind === "asset" ? 0 : this.#unsent
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
