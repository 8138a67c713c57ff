import type { Duplex } from "node:stream"
import type { Admission } from "../Admission.ts"

/** The used share of the connections from which on Peyk closes those without a complete request. */
const CROWDED = 0.9
const EVICTED_AT_ONCE = 0.05

/** The open connections. When there are many, those whose clients have sent no complete request make room. */
export class OpenSockets {
  readonly #maxConnections: number
  /** The oldest first, with the last request of each. */
  readonly #sockets = new Map<Duplex, Admission | null>()
  #evicted = 0

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections
  }

  get size(): number {
    return this.#sockets.size
  }

  /** Connections closed to make room, none of whose requests was complete. */
  get evicted(): number {
    return this.#evicted
  }

  add(socket: Duplex): void {
    if (this.#sockets.size >= this.#maxConnections * CROWDED) this.#makeRoom()
    this.#sockets.set(socket, null)
    socket.once("close", () => this.#sockets.delete(socket))
  }

  /** The connection has a request after those before. */
  admit(socket: Duplex, admission: Admission): void {
    this.#sockets.set(socket, admission)
  }

  /** The last request of the connection. */
  lastOf(socket: Duplex): Admission | null {
    return this.#sockets.get(socket) ?? null
  }

  /** Closes connections, the oldest first, whose clients have not sent a complete request yet. */
  #makeRoom(): void {
    let left = Math.ceil(this.#maxConnections * EVICTED_AT_ONCE)
    for (const [socket, admission] of this.#sockets) {
      if (socket.destroyed || admission?.response.req.complete === true) continue
      socket.destroy()
      this.#evicted += 1
      if ((left -= 1) === 0) return
    }
  }

  /** Closes the connections on which nothing has arrived. */
  closeUnused(): void {
    for (const socket of this.#sockets.keys())
      if ("bytesRead" in socket && socket.bytesRead === 0) socket.destroy()
  }
}
