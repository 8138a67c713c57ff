/**
 * One run of load, in a process of its own. The job comes and the result goes as a message.
 * Job: {url, key, kind, connections, seconds?, amount?, from, targets}; kinds are below. `from` is the number of the first phone.
 */
import autocannon from "autocannon"
import { randomUUID } from "node:crypto"

const json = { "content-type": "application/json" }
const phoneOf = (number) => `09${String(120_000_000 + number).padStart(9, "0")}`

/** Each makes the next request from its number and, for those that have them, the targets. */
const kinds = {
  send: (n, { from }) => ({
    method: "POST",
    path: "/v1/otp/send",
    headers: { ...json, "idempotency-key": randomUUID() },
    body: `{"phone":"${phoneOf(from + n)}"}`
  }),
  message: (n, { from }) => ({
    method: "POST",
    path: "/v1/messages/send",
    headers: { ...json, "idempotency-key": randomUUID() },
    body: `{"to":"${phoneOf(from + n)}","message":"سلام!","channels":["bale"]}`
  }),
  verify: (n, { targets }) => ({
    method: "POST",
    path: "/v1/otp/verify",
    headers: json,
    body: JSON.stringify(targets[n % targets.length])
  }),
  status: (n, { targets }) => ({
    method: "GET",
    path: `/v1/otp/${targets[n % targets.length].verification_id}`,
    headers: {}
  })
}

const idIn = /"verification_id":"([^"]+)"/

const run = async (job) => {
  let number = 0
  const started = []
  const wrong = new Map()
  const result = await autocannon({
    url: job.url,
    connections: job.connections,
    ...(job.amount === undefined ? { duration: job.seconds } : { amount: job.amount }),
    requests: [
      {
        setupRequest: (request, context) => {
          context.number = number++
          const made = kinds[job.kind](context.number, job)
          return { ...request, ...made, headers: { ...made.headers, "x-api-key": job.key } }
        },
        onResponse: (status, body, context) => {
          if (status >= 300) wrong.set(`${status} ${body}`.slice(0, 200), true)
          else if (job.kind === "send") started.push([idIn.exec(body)[1], phoneOf(job.from + context.number)])
        }
      }
    ]
  })
  const seconds = (result.finish - result.start) / 1000
  return {
    requests: result["2xx"],
    perSecond: result["2xx"] / seconds,
    seconds,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors + result.timeouts,
    failures: [...wrong.keys()].slice(0, 3),
    started
  }
}

process.on("message", async (job) => {
  process.send(await run(job), () => process.disconnect())
})
