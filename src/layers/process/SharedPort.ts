import { Effect } from "effect"
import { createServer, type ListenOptions } from "node:net"
import { StartupError } from "./StartupError.ts"

/** Listens for a moment, and tells on which port. */
const tryToListen = (options: ListenOptions) =>
  Effect.callback<number, Error>((resume) => {
    // Who connects in that moment finds nobody, and must not wait for us.
    const server = createServer((socket) => socket.resetAndDestroy())
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(options, () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.close(() => resume(Effect.succeed(port)))
    })
  })

/**
 * A port that several processes can listen on: the one asked for, or a free one. A port that others listen on is refused,
 * which processes that share it would not notice.
 */
export const claimSharedPort = Effect.fnUntraced(function* (host: string, wanted: number) {
  const port = yield* Effect.mapError(
    tryToListen({ host, port: wanted, exclusive: true }),
    (error) =>
      new StartupError({
        message: `cannot listen on ${host}:${wanted}: ${error.message}; choose another address with PEYK_HOST and PEYK_PORT`
      })
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
