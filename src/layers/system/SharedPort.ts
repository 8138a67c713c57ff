import { Effect } from "effect"
import { createServer, type ListenOptions } from "node:net"
import { StartupError } from "./StartupError.ts"

const causes: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there already",
  EADDRNOTAVAIL: "this machine does not have this address",
  EACCES: "this user may not use this port"
}

/** Why nobody can listen there, for people. */
export const cannotListen = (host: string, port: number, error: unknown): StartupError => {
  const { code = "", message = String(error) } = Object(error) as {
    readonly code?: string
    readonly message?: string
  }
  return new StartupError({
    message: `cannot listen on ${host}:${port}: ${causes[code] ?? message}; choose another address with PEYK_HOST and PEYK_PORT`
  })
}

/** Listens for a moment to find out the port. */
const tryToListen = (options: ListenOptions) =>
  Effect.callback<number, Error>((resume) => {
    // A client that connects in that moment is closed, so that closing does not wait for it.
    const server = createServer((socket) => socket.resetAndDestroy())
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(options, () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.close(() => resume(Effect.succeed(port)))
    })
  })

/** Fails if others listen there already: better said before a store is made than after. */
export const checkPort = (host: string, port: number) =>
  Effect.mapError(tryToListen({ host, port, exclusive: true }), (error) => cannotListen(host, port, error))

/**
 * A port that several processes can listen on: the requested one, or a free one. Fails if others already listen on it;
 * processes that share a port would not notice that.
 */
export const claimSharedPort = Effect.fnUntraced(function* (host: string, wanted: number) {
  const port = yield* Effect.mapError(tryToListen({ host, port: wanted, exclusive: true }), (error) =>
    cannotListen(host, wanted, error)
  )
  yield* Effect.mapError(
    tryToListen({ host, port, reusePort: true }),
    ({ message }) =>
      new StartupError({
        message: `this system does not share a port between processes (${message}): leave PEYK_PROCESSES at 1`
      })
  )
  return port
})
