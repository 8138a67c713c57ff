/** `npm run simulate:routing -- --codes 20000 --seeds 10`: the figures of docs/routing.md. */
import { parseArgs } from "node:util"
import { policies, type Policy, simulateRouting, type Situation, situations } from "./RoutingSimulation.ts"

const { values } = parseArgs({ options: { codes: { type: "string" }, seeds: { type: "string" } } })
const codes = Number(values.codes ?? 20_000)
const seeds = Number(values.seeds ?? 10)

const meanOf = (situation: Situation, policy: Policy) => {
  const sum = { conversion: 0, cost: 0 }
  for (let seed = 0; seed < seeds; seed++) {
    const result = simulateRouting({ situation, policy, seed: String(seed), codes })
    sum.conversion += result.conversion / seeds
    sum.cost += result.cost / seeds
  }
  return sum
}

console.log("| Situation | Order | Verified | Of the oracle's | Cost, of the oracle's |")
console.log("| --- | --- | --- | --- | --- |")
for (const situation of situations) {
  const oracle = meanOf(situation, "oracle")
  for (const policy of policies) {
    const { conversion, cost } = meanOf(situation, policy)
    const shares = [conversion, conversion / oracle.conversion, cost / oracle.cost]
    console.log(`| ${situation} | ${policy} | ${shares.map((share) => share.toFixed(3)).join(" | ")} |`)
  }
}
