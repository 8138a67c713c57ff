/** A run of autocannon. The job (see Load.ts, and `connections`) comes and the result goes as a message. */
import autocannon from "autocannon"

const run = async ({ url, connections, requests, cycles, seconds }) => {
  const each = Math.floor(requests.length / connections)
  let next = 0
  const instance = autocannon({
    url,
    connections,
    ...(cycles ? { duration: seconds } : { amount: each * connections }),
    // each connection has its own part, built before it begins
    setupClient: (client) => client.setRequests(requests.slice(next, (next += each)))
  })
  // its own `start` and `finish` are those of a sampler that looks once a second
  const start = performance.now()
  let last = start
  let answered = 0
  let refused = 0
  instance.on("response", (_, status) => {
    last = performance.now()
    if (status < 400) answered += 1
    else refused += 1
  })
  const end = setTimeout(() => instance.stop(), seconds * 1000)
  const { latency, errors, timeouts } = await instance
  clearTimeout(end)
  return {
    requests: answered,
    perSecond: (answered * 1000) / (last - start),
    p50: latency.p50,
    p99: latency.p99,
    p999: latency.p99_9,
    failed: refused + errors + timeouts
  }
}

process.on("message", async (job) => {
  process.send(await run(job), () => process.disconnect())
})
