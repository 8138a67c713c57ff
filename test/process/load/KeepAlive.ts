/** Clients that ask one thing after the other, each on a connection of its own that it keeps. */
import { Agent, get } from "node:http"
import { connect } from "node:net"

export interface Responded {
  readonly status: number
  readonly connection: string | undefined
}

const ask = (agent: Agent, url: string) =>
  new Promise<Responded>((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume()
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection })
      )
      response.once("error", reject)
    }).once("error", reject)
  })

const codeOf = (error: unknown) => String(Object(error).code ?? error)

/** Asks until stopped, or until nobody listens any more, and counts the results. */
export const keepAsking = (url: string, clients: number) => {
  // Without a bound of its own: Node's agent retries for ever what had to queue for a connection that nobody takes.
  const agent = new Agent({ keepAlive: true })
  const statuses = new Map<number, number>()
  const errors: Array<string> = []
  const end = new AbortController()
  const client = async () => {
    while (!end.signal.aborted) {
      try {
        const { status } = await ask(agent, url)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      } catch (error) {
        const code = codeOf(error)
        if (code === "ECONNREFUSED") return
        errors.push(code)
      }
    }
  }
  const asking = Promise.all(Array.from({ length: clients }, client))
  return {
    count: () => [...statuses.values()].reduce((sum, count) => sum + count, 0),
    end: async () => {
      end.abort()
      await asking
      agent.destroy()
      return { statuses: [...statuses.keys()], errors }
    }
  }
}

/** Whether somebody takes new connections. */
export const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const end = (listening: boolean) => {
      socket.destroy()
      resolve(listening)
    }
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })
