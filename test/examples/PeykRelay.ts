/** A relay to a server, so that a test can take the server away from one program alone. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface PeykRelay {
  readonly url: string
  /** Responds with these bytes from now on, as another site at Peyk's address. */
  readonly replace: (response: string) => void
  readonly close: () => void
}

export const relayTo = (port: number): Promise<PeykRelay> =>
  new Promise((resolve) => {
    const sockets = new Set<Socket>()
    let replacement: string | undefined
    const relay = createServer((near) => {
      if (replacement !== undefined) {
        const response = replacement
        near.once("data", () => near.end(response))
        return
      }
      const far = connect(port, "127.0.0.1")
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on("error", () => [near, far].forEach((each) => each.destroy()))
      }
      near.pipe(far).pipe(near)
    })
    const endAll = () => {
      for (const socket of sockets) socket.destroy()
    }
    const replace = (response: string) => {
      replacement = response
      endAll()
    }
    const close = () => {
      relay.close()
      endAll()
    }
    relay.listen(0, "127.0.0.1", () =>
      resolve({ url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`, replace, close })
    )
  })
