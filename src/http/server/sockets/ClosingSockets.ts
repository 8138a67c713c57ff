import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

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
  endWith(socket: Duplex, answer: string | null): void {
    this.#ended.add(socket)
    if (answer === null) socket.end()
    else socket.end(answer)
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
