import { type AddressInfo, connect, createServer, type Socket } from "node:net"

interface Link {
  readonly ends: ReadonlyArray<Socket>
  readonly asked: () => string
}

/** A TCP proxy in front of a PostgreSQL whose connections can fall silent: they stay open, and nothing passes them. */
export interface SilentProxy {
  readonly port: number
  /** How many connections there were, if given: with this in what the client wrote. */
  readonly seen: (text?: string) => number
  /** Silences the connections there are now, if given: those on which the client wrote this. New ones work. */
  readonly silence: (text?: string) => void
  /** New connections are silent too, until `release`; then newer ones work. */
  readonly silenceNew: () => void
  readonly release: () => void
  readonly close: () => void
}

export const silentProxy = (socketPath: string): Promise<SilentProxy> =>
  new Promise((resolve) => {
    const links: Array<Link> = []
    let silencesNew = false
    const server = createServer((client) => {
      let asked = ""
      const farEnd = connect(socketPath)
      const ends = [client, farEnd]
      links.push({ ends, asked: () => asked })
      for (const end of ends) end.on("error", () => ends.forEach((each) => each.destroy()))
      if (silencesNew) return
      client.on("data", (chunk) => {
        asked += chunk.toString("latin1")
      })
      client.pipe(farEnd)
      farEnd.pipe(client)
    })
    const matching = (text: string) => links.filter(({ asked }) => asked().includes(text))
    server.listen(0, "127.0.0.1", () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        seen: (text = "") => matching(text).length,
        silence: (text = "") => {
          for (const { ends } of matching(text)) {
            for (const end of ends) {
              end.unpipe()
              end.pause()
            }
          }
        },
        silenceNew: () => {
          silencesNew = true
        },
        release: () => {
          silencesNew = false
        },
        close: () => {
          for (const { ends } of links) ends.forEach((end) => end.destroy())
          server.close()
        }
      })
    )
  })
