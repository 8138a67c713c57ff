/** `npm run fuzz -- --requests 50000 --seed X` */
import { parseArgs } from "node:util"
import { type Failure, fuzz, reproduction } from "./Fuzz.ts"
import { startFuzzedServer } from "./FuzzedServer.ts"

const { values } = parseArgs({ options: { requests: { type: "string" }, seed: { type: "string" } } })
const requests = Number(values.requests ?? 5000)
const seed = values.seed ?? String(Math.round(performance.timeOrigin))
const MAX_SHOWN = 40

const { server, credentials, known, renew } = await startFuzzedServer()
console.log(`seed ${seed}, ${requests} requests to ${server.url}`)

const show = ({ number, mutations, problem, request, answer }: Failure) => {
  console.log(
    `\n#${number} ${request.method} ${request.target.slice(0, 120)} [${mutations.join(", ")}]\n  ${problem}`
  )
  console.log(`  ${answer.slice(0, 400)}\n  ${reproduction(server.port, request).slice(0, 3000)}`)
}

try {
  const begun = performance.now()
  const { statuses, mutated, failures } = await fuzz({
    port: server.port,
    seed,
    requests,
    credentials,
    known,
    now: performance.timeOrigin + performance.now(),
    onProgress: async (done) => {
      if (done % 5000 === 0)
        console.log(`${done} done after ${Math.round((performance.now() - begun) / 1000)} s`)
      await renew()
    }
  })
  for (const [status, count] of [...statuses].sort(([, a], [, b]) => b - a))
    console.log(`${count}\t${status}`)
  const kinds = new Map(failures.map((failure) => [`${failure.problem} ${failure.request.method}`, failure]))
  for (const failure of [...kinds.values()].slice(0, MAX_SHOWN)) show(failure)
  console.log(
    `\nseed ${seed}: ${requests} requests, ${mutated} of them mutated, ${failures.length} failures in ${Math.round((performance.now() - begun) / 1000)} s`
  )
  if (failures.length > 0) {
    const logged = server
      .output()
      .split("\n")
      .filter((line) => /ERROR|"Error"|"level":"ERROR"/.test(line))
    console.log(logged.slice(0, 20).join("\n").slice(0, 8000))
    process.exitCode = 1
  }
} finally {
  await server.stop()
}
