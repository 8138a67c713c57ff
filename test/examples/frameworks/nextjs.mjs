/** Serves route handlers of Next.js, which are functions of a standard request. */
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { POST as send } from "./app/login/send/route.ts"
import { POST as verify } from "./app/login/verify/route.ts"

const routes = { "/login/send": send, "/login/verify": verify }

const server = createServer(async (incoming, outgoing) => {
  const { method, headers, url } = incoming
  const request = new Request(`http://localhost${url}`, { method, headers, body: await text(incoming) })
  const response = await routes[url](request)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(await response.text())
})
server.listen(process.env.PORT, "127.0.0.1", () => console.log("Open"))
