import { assert, describe, it } from "@effect/vitest"
import { mergeMetrics } from "../../../src/layers/system/Supervised.ts"

const one = `# HELP a_total What a is.
# TYPE a_total counter
a_total 1
# HELP b What b is.
# TYPE b gauge
b{pool="codes {x}"} 2
b{pool="messages"} 3
`
const other = `# HELP b What b is.
# TYPE b gauge
b{pool="codes {x}"} 5
# HELP c Only here.
# TYPE c gauge
c 0.5
`

describe("metrics of several processes", () => {
  it("are one text: each metric in one piece, each sample with its process", () => {
    const merged = mergeMetrics([
      { process: 1, text: one },
      { process: 2, text: other }
    ])
    assert.strictEqual(
      merged,
      `# HELP a_total What a is.
# TYPE a_total counter
a_total{process="1"} 1
# HELP b What b is.
# TYPE b gauge
b{process="1",pool="codes {x}"} 2
b{process="1",pool="messages"} 3
b{process="2",pool="codes {x}"} 5
# HELP c Only here.
# TYPE c gauge
c{process="2"} 0.5
`
    )
  })
})
