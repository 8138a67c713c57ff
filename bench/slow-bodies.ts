/**
 * Measures sends while other clients hold connections whose bodies do not arrive: the p99 without and with them.
 *
 *     node bench/slow-bodies.ts [connections] [path]
 */
import { performance } from "node:perf_hooks"
import { openSlowClients } from "../test/process/load/SlowClients.ts"
import { newPhone, otp } from "../test/contract/Client.ts"
import { startServer } from "../test/contract/Server.ts"

const [count = "500", path = "/v1/inbound/x"] = process.argv.slice(2)
const SENDS = 2000
const AT_ONCE = 8

const server = await startServer()
const live = otp(server, server.demo.live_key)

const measure = async () => {
  const millis: Array<number> = []
  const statuses = new Map<number, number>()
  let left = SENDS
  const work = async () => {
    while (left-- > 0) {
      const start = performance.now()
      const { status } = await live.postSend({ phone: newPhone(), channels: "sms" })
      millis.push(performance.now() - start)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  millis.sort((a, b) => a - b)
  const at = (part: number) => (millis[Math.floor(millis.length * part)] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${[...statuses].map(([status, n]) => `${status}: ${n}`).join(", ")}`
}

try {
  console.log("warm-up:", await measure())
  console.log("without:", await measure())
  const clients = await openSlowClients(server.port, Number(count), { path })
  console.log(`with ${count} on ${path}:`, await measure())
  clients.close()
} finally {
  await server.stop()
}
