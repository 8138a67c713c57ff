/** A relay to a server, so that a test can take the server away from one program alone. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface PeykRelay {
  readonly url: string
  readonly close: () => void
}

export const relayTo = (port: number): Promise<PeykRelay> =>
  new Promise((resolve) => {
    const sockets = new Set<Socket>()
    const relay = createServer((near) => {
      const far = connect(port, "127.0.0.1")
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on("error", () => [near, far].forEach((each) => each.destroy()))
      }
      near.pipe(far).pipe(near)
    })
    const close = () => {
      relay.close()
      for (const socket of sockets) socket.destroy()
    }
    relay.listen(0, "127.0.0.1", () =>
      resolve({ url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`, close })
    )
  })
