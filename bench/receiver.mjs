/** A fast receiver of webhooks in its own process: it answers 204, checks nothing, and reports its count on request. */
import { createServer } from "node:http"

let count = 0

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    count += 1
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.send(server.address().port))
process.on("message", () => process.send(count))
process.on("disconnect", () => process.exit())
