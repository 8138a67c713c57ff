/** The benchmark's own arithmetic: what it computes wrongly, no measurement shows. */
import { assert, describe, it } from "@effect/vitest"
import { isReached, reportAims, sections } from "../../bench/Aims.ts"
import { coldResultOf, fullAfter } from "../../bench/Cold.ts"
import { responseIn } from "../../bench/HttpResponse.ts"
import { withoutFalseZeros } from "../../bench/Load.ts"
import { arrivalOf, arrivedBy, totalIn } from "../../bench/OpenLoop.ts"
import { readOptions } from "../../bench/Options.ts"
import { delayAt, delaysOf, meanDelay, mostPerSecond } from "../../bench/ProviderDelay.ts"
import { latenciesOf, perSecondOf, type Recording, totalsOf } from "../../bench/Recording.ts"
import { report, type Run } from "../../bench/Report.ts"
import { median, pairedRatios, quantile } from "../../bench/Statistics.ts"

const upTo = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1)

describe("percentiles", () => {
  it("are the least value that a share of all values does not exceed", () => {
    const thousand = upTo(1000).toReversed()
    assert.strictEqual(quantile(thousand, 0.5), 500)
    assert.strictEqual(quantile(thousand, 0.99), 990)
    assert.strictEqual(quantile(thousand, 0.999), 999)
    assert.strictEqual(quantile(thousand, 1), 1000)
    assert.strictEqual(quantile([7], 0.5), 7)
    assert.strictEqual(quantile([7, 8], 0), 7)
    assert.isNaN(quantile([], 0.5))
    assert.deepStrictEqual(latenciesOf(Float64Array.from(thousand)), { p50: 500, p99: 990, p999: 999 })
  })

  it("sort numbers as numbers", () => {
    assert.strictEqual(quantile([100, 20, 3], 0.99), 100)
    assert.strictEqual(median([100, 20, 3]), 20)
    assert.strictEqual(median([1, 2, 3, 10]), 2.5)
  })

  it("of no response are no numbers", () => {
    const result = { requests: 0, perSecond: 0, p50: 0, p99: 0, p999: 0, failed: 64 }
    assert.isNaN(withoutFalseZeros(result).p99)
    assert.deepStrictEqual(withoutFalseZeros({ ...result, requests: 1 }), { ...result, requests: 1 })
  })

  it("of pairs divide what the same round measured", () => {
    assert.deepStrictEqual(pairedRatios([2, null, 9, 5], [4, 1, 3]), [0.5, 3])
  })
})

describe("a provider's delay", () => {
  it("is N for half of the calls, 4 N for a tenth, and between these for the rest", () => {
    const next = delaysOf(100)
    const delays = upTo(10_000).map(next)
    assert.approximately(delays.filter((each) => each === 100).length, 5000, 5)
    assert.approximately(delays.filter((each) => each === 400).length, 1000, 5)
    assert.strictEqual(Math.min(...delays), 100)
    assert.strictEqual(Math.max(...delays), 400)
    assert.approximately(quantile(delays, 0.7), 200, 2)
  })

  it("has the same spread in each part of a run", () => {
    const next = delaysOf(100)
    for (let part = 0; part < 100; part++) {
      const delays = upTo(100).map(next)
      assert.approximately(delays.filter((each) => each === 400).length, 10, 2)
    }
  })

  it("has a mean, which bounds the rate of connections that wait for it", () => {
    const next = delaysOf(100)
    const delays = upTo(100_000).map(next)
    const mean = delays.reduce((sum, each) => sum + each, 0) / delays.length
    assert.approximately(meanDelay(100), mean, 0.05)
    assert.approximately(meanDelay(100), 176.6, 0.05)
    assert.approximately(mostPerSecond(1000, 100), 5664, 1)
  })

  it("grows without a step between the quick and the slow calls", () => {
    assert.approximately(delayAt(0.5, 100), 100, 0.001)
    assert.approximately(delayAt(0.8999, 100), 400, 1)
    assert.strictEqual(delaysOf(0)(), 0)
  })
})

describe("an open loop", () => {
  it("lets requests arrive at fixed times", () => {
    assert.deepStrictEqual(
      upTo(3).map((nth) => arrivalOf(nth - 1, 50)),
      [0, 20, 40]
    )
    assert.strictEqual(arrivedBy(-1, 50), 0)
    assert.strictEqual(arrivedBy(0, 50), 1)
    assert.strictEqual(arrivedBy(19.9, 50), 1)
    assert.strictEqual(arrivedBy(20, 50), 2)
    assert.strictEqual(totalIn(8, 50), 400)
  })

  it("never lets a request arrive before its time, or leaves one out", () => {
    for (const rate of [3, 50, 333, 20_000]) {
      for (let nth = 0; nth < 1000; nth++) {
        const at = arrivalOf(nth, rate)
        assert.approximately(arrivedBy(at + 1e-6, rate), nth + 1, 0, `${rate}: ${nth}`)
      }
    }
  })
})

describe("a response", () => {
  const body = '{"a":"خ"}'
  const plain = Buffer.from(
    `HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )

  it("ends where its length says", () => {
    assert.deepStrictEqual(responseIn(plain), { status: 201, bytes: plain.length })
    assert.deepStrictEqual(responseIn(Buffer.concat([plain, plain])), { status: 201, bytes: plain.length })
    for (let end = 0; end < plain.length; end++) assert.isNull(responseIn(plain.subarray(0, end)))
  })

  it("ends with its last chunk, or with its head", () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    const chunked = Buffer.from(`${head}5\r\n{"a":\r\n3\r\n10}\r\n0\r\n\r\n`)
    assert.deepStrictEqual(responseIn(chunked), { status: 200, bytes: chunked.length })
    assert.isNull(responseIn(chunked.subarray(0, -1)))
    const empty = Buffer.from(`${head}0\r\n\r\n`)
    assert.deepStrictEqual(responseIn(empty), { status: 200, bytes: empty.length })
    const none = Buffer.from("HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n")
    assert.deepStrictEqual(responseIn(none), { status: 204, bytes: none.length })
  })
})

/** So many responses in each second, that took so long; and refusals at these times. */
const recordingOf = (
  perSecond: ReadonlyArray<number>,
  took: (second: number) => number,
  refusedAt: ReadonlyArray<number> = []
): Recording => {
  const seconds = perSecond.flatMap((count, second) => Array.from({ length: count }, () => second))
  return {
    at: Float64Array.from(seconds, (second) => second * 1000 + 500),
    took: Float64Array.from(seconds, took),
    refusedAt: Float64Array.from(refusedAt),
    errors: 1
  }
}

describe("a recording", () => {
  it("has totals", () => {
    const recording = recordingOf([10, 30], (second) => (second === 0 ? 8 : 2), [100])
    assert.deepStrictEqual(perSecondOf(recording, 2), [10, 30])
    const { p50, p99, failed, perSecond, requests } = totalsOf(recording)
    assert.deepStrictEqual({ p50, p99, failed, requests }, { p50: 2, p99: 8, failed: 2, requests: 40 })
    assert.approximately(perSecond, 40 / 1.5, 0.001)
  })

  it("of a cold process is compared with the same process when it is warm", () => {
    const recording = recordingOf(
      [10, 50, 100, 100, 98, 100],
      (second) => (second < 3 ? 30 : 10),
      [10, 20, 4500]
    )
    assert.deepStrictEqual(coldResultOf(recording, 3), {
      answered: 160,
      refused: 2,
      p50: 30,
      p99: 30,
      warmPerSecond: 100,
      warmP99: 10,
      fullAfterSeconds: 2,
      errors: 1,
      perSecond: [10, 50, 100, 100, 98, 100]
    })
  })

  it("reaches the full rate when it stays there", () => {
    assert.strictEqual(fullAfter([100, 20, 95, 95, 95, 90], 100), 2)
    assert.strictEqual(fullAfter([95, 95, 95], 100), 0)
    assert.strictEqual(fullAfter([10, 20, 30], 100), 3)
  })
})

const runOf = (subject: string, perSecond: number, operation = "send"): Run => ({
  subject,
  operation,
  perSecond,
  p50: 1,
  p99: 2,
  p999: 3,
  programCpu: 100,
  storeCpu: 80,
  loadCpu: 20,
  failed: 0,
  memory: 300
})

describe("a table", () => {
  it("leads with the processor time of a request, in the program and the store", () => {
    const [head, , row] = report([runOf("peyk", 100)]).split("\n")
    assert.match(
      head ?? "",
      /^\| +\| +\| CPU µs \| program's \| store's \| per second \| p50 ms \| p99 ms \| p99\.9 ms/
    )
    assert.match(row ?? "", /^\| send \| peyk \| 180 \| 100 \| 80 \| 100 \| 1\.0 \| 2\.0 \| 3\.0/)
  })

  it("of aims says that one is reached only if it is in every round", () => {
    assert.isTrue(isReached({ atLeast: 1.4 }, [1.4, 2]))
    assert.isFalse(isReached({ atLeast: 1.4 }, [1.39, 2]))
    assert.isFalse(isReached({ atMost: 0 }, [0, 1]))
    assert.isFalse(isReached({ atLeast: 1 }, [Number.NaN]))
    assert.isNull(isReached({ atLeast: 1.4 }, []))
    const [section] = sections
    if (section === undefined) return assert.fail("no sections")
    const runs = [runOf("peyk", 150), runOf("fastify", 100), runOf("fastify", 100), runOf("peyk", 130)]
    const results = { options: readOptions([]), runs, cold: [], fallbacks: [] }
    const table = reportAims([{ section, results }])
    assert.include(table, "| send: rate, × (a) | ≥ 1.4 | 1.40 | 1.30–1.50 | – | no |")
    assert.include(table, "| send: program's CPU µs | ≤ 150 | 100 | 100–100 | – | yes |")
    assert.include(table, "| cold: refused in 15 s | ≤ 0 | – | – | – | not measured |")
  })

  it("of aims says next to a ratio what the provider's time leaves to any subject", () => {
    const [section] = sections
    if (section === undefined) return assert.fail("no sections")
    const runs = [runOf("peyk", 4824), { ...runOf("fastify", 5403), p99: 408 }]
    const results = { options: readOptions(section.args), runs, cold: [], fallbacks: [] }
    const table = reportAims([{ section, results }])
    assert.include(table, "| send: rate, × (a) | ≥ 1.4 | 0.89 | 0.89–0.89 | 1.05 | no |")
    assert.match(table, /send: p99, × \(a\) \| ≤ 0.8 \| [^|]+ \| [^|]+ \| 0.98 \|/)
  })

  it("of aims is made from options that the benchmark knows", () => {
    for (const { args } of sections) assert.doesNotThrow(() => readOptions(args))
  })
})

describe("options", () => {
  it("take up to 2000 connections, a rate and a provider's time", () => {
    const given = ["--connections", "2000", "--open-loop", "500", "--provider-millis", "100"]
    const { connections, openLoop, providerMillis } = readOptions(given)
    assert.deepStrictEqual([connections, openLoop, providerMillis], [2000, 500, 100])
    assert.throws(
      () => readOptions(["--connections", "2001"]),
      "--connections has to be a whole number from 1 to 2000"
    )
    assert.isNull(readOptions([]).openLoop)
  })
})
