import { assert, describe, it } from "@effect/vitest"
import { LIMIT_WINDOWS } from "../../../src/domain/customer/Limits.ts"
import { BOMBED_BY, CALLERS_MILLIS, MAX_CALLERS } from "../../../src/domain/guard/Bombing.ts"
import { DAY_MILLIS } from "../../../src/domain/Instant.ts"
import { countedLimits } from "../../../src/layers/postgres/batching/AdmissionCounts.ts"
import { schemaStatements } from "../../../src/layers/postgres/migrations/0001_schema.ts"
import { intervalText } from "../../../src/layers/postgres/SqlRows.ts"

describe("a number of a rule that SQL needs too", () => {
  it("is written in the largest unit of a day's parts, which no time zone changes", () => {
    assert.deepStrictEqual([DAY_MILLIS, 3_600_000, 600_000, 1500].map(intervalText), [
      "interval '24 hours'",
      "interval '1 hour'",
      "interval '10 minutes'",
      "interval '1500 milliseconds'"
    ])
  })

  it("counts what was sent to a phone for as long as the rule says", () => {
    const limits = countedLimits("code", { hasQuotas: false, repeatsPhones: false })
    const text = limits.map(({ count }) => count("admitted where true")).join("\n")
    for (const millis of [LIMIT_WINDOWS.hour, LIMIT_WINDOWS.day, CALLERS_MILLIS]) {
      assert.include(text, `now + ${intervalText(millis)}`)
    }
    assert.include(text, `cardinality(o.callers) >= ${MAX_CALLERS}`)
  })

  it("has an index of the phones that as many customers bomb", () => {
    const index = schemaStatements().find((text) => text.includes("platform_phone_counters_bombed"))
    assert.include(index, `where cardinality(callers) >= ${BOMBED_BY}`)
  })
})
