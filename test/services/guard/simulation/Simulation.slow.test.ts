// @effect-diagnostics processEnv:off
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OrderedDatabase } from "../../../support/OrderedDatabase.ts"
import { guarded } from "../GuardedCustomer.ts"
import { Guard } from "../../../../src/services/guard/Guard.ts"
import { cases } from "./Cases.ts"
import { oneDay, type Outcome, thirtyDays } from "./Plan.ts"
import { simulate } from "./Simulation.ts"

/** The seeds of the long form, by `npm run simulate:guard`; among all tests only what is quick runs. */
const seeds = (process.env["GUARD_SEEDS"] ?? "").split(",").filter((seed) => seed !== "")
const AN_HOUR = 3_600_000
const MAX_LEAKED = 50
const MAX_REFUSED = 0.001
/** Nine attacks in a day, before any network is known. */
const MAX_REFUSED_ON_FIRST_DAY = 0.15

const figuresOf = ({ codes, refused, attacks, outages }: Outcome) => ({
  codes,
  refused,
  leaked: attacks.map(({ leaked }) => leaked),
  outages
})
const figures = (outcome: Outcome) => JSON.stringify(figuresOf(outcome))

/** `segment: codes that leaked`, where they were too many. */
const leaks = ({ attacks }: Outcome) =>
  attacks.flatMap(({ name, leaked }) => (leaked > MAX_LEAKED ? [`${name}: ${leaked}`] : []))

layer(OrderedDatabase, { excludeTestServices: true })("users and nine attacks", (it) => {
  for (const each of cases) {
    for (const seed of seeds.length > 0 ? seeds : each.isQuick === true ? ["b"] : []) {
      it.effect(
        `${each.name}, with seed ${seed}`,
        () =>
          Effect.gen(function* () {
            const outcome = yield* simulate(each.plan(seed))
            if (seeds.length > 0)
              yield* Effect.sync(() => process.stdout.write(`${seed}, ${each.name}: ${figures(outcome)}\n`))
            assert.deepStrictEqual(each.faults(outcome), [])
            if (seed === "b" && each.figures !== undefined)
              assert.deepStrictEqual(figuresOf(outcome), each.figures)
          }).pipe(Effect.provide(guarded(Guard.layer, { phoneHourLimit: 5, phoneDayLimit: 10 }))),
        AN_HOUR
      )
    }
  }

  for (const seed of seeds) {
    it.effect(
      `in their first day, with seed ${seed}: attacks leak little, most users pass, and an outage blocks nobody`,
      () =>
        Effect.gen(function* () {
          const outcome = yield* simulate(oneDay(seed))
          yield* Effect.sync(() => process.stdout.write(`${seed}, the first day: ${figures(outcome)}\n`))
          assert.deepStrictEqual(leaks(outcome), [])
          assert.strictEqual(outcome.refusedInOutage, 0)
          assert.isAtMost(outcome.refused, MAX_REFUSED_ON_FIRST_DAY * outcome.codes)
        }).pipe(Effect.provide(guarded())),
      AN_HOUR
    )

    if (process.env["GUARD_CASES"] !== "only")
      it.effect(
        `in thirty days, with seed ${seed}`,
        () =>
          Effect.gen(function* () {
            const outcome = yield* simulate(thirtyDays(seed))
            yield* Effect.sync(() => process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`))
            assert.deepStrictEqual(leaks(outcome), [])
            assert.strictEqual(outcome.refusedInOutage, 0)
            assert.isAtMost(outcome.refused, MAX_REFUSED * outcome.codes)
          }).pipe(Effect.provide(guarded())),
        AN_HOUR
      )
  }
})
