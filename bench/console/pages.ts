/**
 * Measures the server time of each page of the console, from the request to the end of its response over loopback:
 *
 *     npm run bench:pages -- --stored 1000000 --data /var/tmp/console --processes 1 [--rounds 50]
 *
 * Pages alternate, so that none finds its data cached because it was asked for a moment ago.
 */
import { performance } from "node:perf_hooks"
import { setTimeout as pause } from "node:timers/promises"
import { machine } from "../Machine.ts"
import { quantile } from "../Statistics.ts"
import { withConsole } from "./Console.ts"
import { type MeasuredPage, pagesOf } from "./PageList.ts"

const USUAL_ROUNDS = 50
/** Rounds that are not counted: code is compiled, and sums of old sends are made. */
const WARM_UP = 5
const SUMMING_UP = "being summed up"

withConsole(async ({ options, store, newOperator, newOwner }) => {
  const rounds = process.argv.includes("--rounds") ? options.rounds : USUAL_ROUNDS
  const visitors = { owner: await newOwner(), operator: await newOperator() }
  const pages = await pagesOf(store)
  const millis = new Map<string, Array<number>>(pages.map(({ name }) => [name, []]))
  const measure = async ({ name, path, who }: MeasuredPage, round: number) => {
    const address = path(round)
    const begun = performance.now()
    const { status, text } = await visitors[who].get(address)
    const taken = performance.now() - begun
    if (status !== 200) throw new Error(`${address} returned ${status}`)
    if (text.includes(SUMMING_UP)) await pause(1000)
    if (round >= WARM_UP) millis.get(name)?.push(taken)
  }
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    for (const page of pages) await measure(page, round)
  }
  console.log(`${machine()}, ${options.stored} stored verifications, ${rounds} requests for each page\n`)
  console.log("| Page | p50 ms | p95 ms | max ms |\n| --- | --- | --- | --- |")
  for (const [name, taken] of millis) {
    const figures = [0.5, 0.95, 1].map((part) => quantile(taken, part).toFixed(1))
    console.log(`| ${name} | ${figures.join(" | ")} |`)
  }
})
