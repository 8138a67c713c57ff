/** Stands between a process and what it calls, and lets connections fall silent, lose their answers, or be slow. */
import { createConnection, createServer, type NetConnectOpts, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"

/** The state of open connections: nothing gets through, or requests do and answers do not. */
export type Hush = "silent" | "half open"

export interface Proxy {
  /** The port, or the path of its socket. */
  readonly address: string | number
  /** Hushes the connections there are, for good: without a FIN, and not those that come later. How many they were. */
  readonly hush: (how: Hush) => number
  /** How many hushed connections the process still holds. */
  readonly hushed: () => number
  /** From now on, so long for each piece in each direction; 0: at once again. */
  readonly delay: (millis: number) => void
  /** While severed, nothing gets through, on new connections either. Those that met it stay silent for good. */
  readonly sever: (isSevered: boolean) => void
  /** From now on connections lead there. Those there are break off. */
  readonly retarget: (target: NetConnectOpts) => void
  readonly close: () => Promise<void>
}

interface Link {
  readonly near: Socket
  readonly far: Socket
  hush: Hush | null
}

export const startProxy = async (listenAt: string | number, firstTarget: NetConnectOpts): Promise<Proxy> => {
  let target = firstTarget
  const links = new Set<Link>()
  let delayMillis = 0
  let isSevered = false

  const forward = (from: Socket, to: Socket, isLost: () => boolean) => {
    from.on("data", (piece: Buffer) => {
      if (isLost()) return
      if (delayMillis === 0) return void to.write(piece)
      from.pause()
      void pause(delayMillis).then(() => {
        if (!isLost()) to.write(piece)
        from.resume()
      })
    })
  }

  const join = (near: Socket) => {
    const link: Link = { near, far: createConnection(target), hush: isSevered ? "silent" : null }
    links.add(link)
    forward(near, link.far, () => link.hush === "silent")
    forward(link.far, near, () => link.hush !== null)
    for (const socket of [near, link.far]) socket.on("error", () => socket.destroy())
    near.on("close", () => {
      links.delete(link)
      link.far.destroy()
    })
    // A hushed connection does not say that its far end has gone.
    link.far.on("close", () => link.hush === null && near.destroy())
  }

  const breakOff = () => {
    for (const { near, far } of links) {
      near.destroy()
      far.destroy()
    }
  }

  const hush = (how: Hush) => {
    const open = [...links].filter((link) => link.hush === null)
    for (const link of open) link.hush = how
    return open.length
  }

  const server = createServer(join)
  await new Promise<void>((resolve) => {
    if (typeof listenAt === "string") server.listen(listenAt, resolve)
    else server.listen(listenAt, "127.0.0.1", resolve)
  })
  const bound = server.address()
  return {
    address: typeof bound === "object" && bound !== null ? bound.port : listenAt,
    hush,
    hushed: () => [...links].filter((link) => link.hush !== null).length,
    sever: (severed) => {
      isSevered = severed
      if (severed) hush("silent")
    },
    delay: (millis) => {
      delayMillis = millis
    },
    retarget: (next) => {
      target = next
      breakOff()
    },
    close: () =>
      new Promise((resolve) => {
        breakOff()
        server.close(() => resolve())
      })
  }
}
