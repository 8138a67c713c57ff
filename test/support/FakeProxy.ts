import { Effect } from "effect"
import { createServer, request as forward } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"

export interface FakeProxy {
  readonly url: string
  /** The targets it was asked for, as `name:port`. */
  readonly targets: ReadonlyArray<string>
  /** The `Proxy-Authorization` of each. */
  readonly credentials: ReadonlyArray<string | undefined>
  /** Refuses whatever comes next. */
  readonly refuse: () => void
  /** Never answers the next request for a tunnel. */
  readonly ignoreNext: () => void
}

const isRefused = "HTTP/1.1 502 Bad Gateway\r\n\r\n"

/** An HTTP proxy on loopback that takes every name for the server at `farEnd`, over tunnels or request by request. */
export const fakeProxy = (farEnd: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<FakeProxy & { readonly close: () => void }>((resolve) => {
          const { hostname, port } = new URL(farEnd)
          const targets: Array<string> = []
          const credentials: Array<string | undefined> = []
          const sockets = new Set<Socket>()
          let refuses = false
          let ignoresNext = false
          const server = createServer((request, response) => {
            const target = new URL(request.url ?? "/")
            targets.push(`${target.hostname}:${target.port === "" ? "80" : target.port}`)
            credentials.push(request.headers["proxy-authorization"])
            if (refuses) {
              response.writeHead(502)
              return response.end()
            }
            const { method } = request
            const { "proxy-authorization": _, ...headers } = request.headers
            const path = `${target.pathname}${target.search}`
            const onward = forward({ hostname, port, method, headers, path }, (answer) => {
              response.writeHead(answer.statusCode ?? 502, answer.headers)
              answer.pipe(response)
            })
            return request.pipe(onward)
          })
          server.on("connect", (request, socket: Socket) => {
            targets.push(request.url ?? "")
            credentials.push(request.headers["proxy-authorization"])
            socket.on("error", () => {})
            if (refuses) return socket.end(isRefused)
            if (ignoresNext) return void (ignoresNext = false)
            const onward = connect(Number(port), hostname, () => {
              socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
              onward.pipe(socket)
              socket.pipe(onward)
            })
            onward.on("error", () => socket.destroy())
            return sockets.add(onward)
          })
          server.on("connection", (socket) => sockets.add(socket))
          server.listen(0, "127.0.0.1", () =>
            resolve({
              url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
              targets,
              credentials,
              refuse: () => {
                refuses = true
              },
              ignoreNext: () => {
                ignoresNext = true
              },
              close: () => {
                for (const socket of sockets) socket.destroy()
                server.close()
              }
            })
          )
        })
    ),
    ({ close }) => Effect.sync(close)
  )
