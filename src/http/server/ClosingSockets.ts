import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

interface Closing {
  readonly socket: Duplex
  /** Null when the socket has been ended, whatever comes. */
  readonly request: IncomingMessage | null
  readonly deadline: number
}

/** How long a client may take to read the last answer of its connection. */
const GRACE_MILLIS = 500

/** Connections that are closed once their time is over, unless their clients close them, or behave, before. */
export class ClosingSockets {
  readonly #closing = new Set<Closing>()

  /** Ends a connection with an answer. Closing it at once would lose the answer where bytes are still unread. */
  endWith(socket: Duplex, answer: string | null): void {
    if (answer === null) socket.end()
    else socket.end(answer)
    this.#closing.add({ socket, request: null, deadline: performance.now() + GRACE_MILLIS })
  }

  /** The request was answered before its body was there: the rest has until then to come. */
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
