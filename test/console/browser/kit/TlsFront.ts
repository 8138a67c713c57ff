import { request } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { type Server, startServer } from "../../../contract/Server.ts"
import { makeCertificate } from "../../../support/Certificate.ts"

/** Browsers find a name below this one on their own machine, and have passkeys there whoever signed the certificate. */
const NAME = "peyk.localhost"

export interface SecureServer {
  readonly server: Server
  /** Where a browser reaches it. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** A server behind a proxy that speaks https, as an installation has it. */
export const startSecureServer = async (): Promise<SecureServer> => {
  let port = 0
  const front = createServer(makeCertificate(NAME), (incoming, outgoing) => {
    const headers = {
      ...incoming.headers,
      "x-forwarded-proto": "https",
      "x-forwarded-for": incoming.socket.remoteAddress ?? ""
    }
    const { method, url: path } = incoming
    const onward = request({ port, method, path, headers, agent: false }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    onward.on("error", () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => {
    front.listen(0, "127.0.0.1", resolve)
  })
  const url = `https://${NAME}:${(front.address() as AddressInfo).port}`
  const server = await startServer({ env: { PEYK_PUBLIC_URL: url, PEYK_TRUSTED_PROXIES: "1" } })
  port = server.port
  return {
    server,
    url,
    stop: async () => {
      front.close()
      front.closeAllConnections()
      await server.stop()
    }
  }
}
