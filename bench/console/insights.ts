// @effect-diagnostics globalDate:off
/**
 * Measures the page of insights, and GET /v1/manage/insights, on sums of ten million codes of 90 days and as many of the
 * 90 days before, of five channels, twelve accounts, four operators and twenty templates:
 *
 *     npm run bench:insights -- --data /var/tmp/insights --processes 1 [--rounds 50]
 *
 * The sums are generated, because both read nothing else. It prints the plan of the statement that reads the most.
 */
import { performance } from "node:perf_hooks"
import { CLASSES, SUM_SPAN_MILLIS, type SumSpan, sumSpans } from "../../src/domain/Insights.ts"
import { insertToken } from "../../test/support/InsertedTokens.ts"
import { machine } from "../Machine.ts"
import { cpuSeconds, familyCpuSeconds, sumOver } from "../ProcessStats.ts"
import { quantile } from "../Statistics.ts"
import { OWN_DATABASE, type Store } from "../Store.ts"
import { withConsole } from "./Console.ts"

const USUAL_ROUNDS = 50
const WARM_UP = 5
const DAYS = 184
const DAY = 86_400_000
const CODES = 10_000_000
const CODES_OF_SLOT = Math.round(CODES / (90 * 48))

const keys = [
  ["all", ["''"]],
  ["channel", ["'bale'", "'eitaa'", "'rubika'", "'soroushplus'", "'sms'"]],
  ["account", Array.from({ length: 12 }, (_, n) => `'${n + 1}'`)],
  ["operator", ["'mci'", "'irancell'", "'rightel'", "'other'"]],
  ["template", Array.from({ length: 20 }, (_, n) => `'${n + 1}'`)]
] as const

const groups = keys
  .flatMap(([kind, own]) => own.map((key) => `('${kind}', ${key}, ${own.length})`))
  .join(", ")

const columns = "customer_id, span, kind, starts_at, mode, key, codes, verified, fallbacks, cost, seconds"

const beginOf = (span: SumSpan) =>
  `date_bin(interval '${SUM_SPAN_MILLIS[span] / 60_000} minutes', starts_at, timestamptz '1970-01-01 20:30Z')`
const added = `sum(codes), sum(verified), sum(fallbacks), sum(cost),
  array[${Array.from({ length: CLASSES }, (_, n) => `sum(seconds[${n + 1}])`).join(", ")}]::int[]`

const longer = (span: SumSpan, shorter: SumSpan, more = "") =>
  `insert into code_sums (${columns})
   select customer_id, '${span}', kind, ${beginOf(span)}, mode, key, ${added}
   from code_sums where span = '${shorter}' ${more} group by customer_id, kind, 4, mode, key on conflict do nothing`

const byHour = `insert into code_sums (${columns})
  select customer_id, 'four_days', 'hour', ${beginOf("four_days")}, mode,
    (extract(epoch from starts_at - timestamptz '1970-01-01 20:30Z')::bigint / 1800 % 48)::text, ${added}
  from code_sums where span = 'half_hour' and kind = 'all' group by customer_id, 4, mode, 6`

const fill = async (store: Store) => {
  const [[row] = []] = await store.run(OWN_DATABASE, [
    "select exists (select from code_sums where span = 'sixteen_days') as filled"
  ])
  if (row?.["filled"] === true) return
  process.stderr.write("making sums\n")
  const now = `date_bin(interval '30 minutes', now(), timestamptz '1970-01-01 00:00Z')`
  await store.run(OWN_DATABASE, [
    `update customers set created_at = now() - interval '${DAYS + 1} days' where id = 1`,
    `insert into activity_slots (customer_id, starts_at, summed_at, is_open, figures)
     select 1, ${now} - n * interval '30 minutes', now(), false, '[]' from generate_series(3, ${DAYS} * 48) n
     on conflict do nothing`,
    `insert into code_sums (${columns})
     select 1, 'half_hour', kind, ${now} - n * interval '30 minutes', 'live', key, c, (c * 0.8)::int, (c * 0.2)::int,
       c * 900, array_fill((c * 0.8 / 32)::int, array[32])
     from generate_series(3, ${DAYS} * 48) n, (values ${groups}) g(kind, key, parts),
       lateral (select (${CODES_OF_SLOT} * (0.5 + n * 7919 % 1000 / 999.0) / parts)::int as c) counted
     on conflict do nothing`,
    ...sumSpans.slice(1).map((span, index) => longer(span, sumSpans[index] ?? "half_hour")),
    byHour,
    longer("sixteen_days", "four_days", "and kind = 'hour'"),
    "vacuum (analyze) code_sums, activity_slots"
  ])
}

const range = (days: number) => {
  const at = (ago: number) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 16)
  return `from=${at(days)}&to=${at(0)}`
}

const pages = [
  ["page: today", "/console/insights?period=today"],
  ["page: 7 days", "/console/insights"],
  ["page: 30 days", "/console/insights?period=30d"],
  ["page: 92 days", () => `/console/insights?${range(92)}`],
  ...["channel", "account", "operator", "hour", "template"].map(
    (by) =>
      [
        `API: 90 days by ${by}`,
        () => `/v1/manage/insights?by=${by}&${range(90).replaceAll(/(:\d\d)(?=&|$)/g, "$1:00Z")}`
      ] as const
  )
] as const

const plan = async (store: Store) => {
  const [[row] = [], lines = []] = await store.run(OWN_DATABASE, [
    `select sum(codes)::int as codes from code_sums where kind = 'all' and span = 'day' and starts_at > now() - interval '90 days'`,
    `explain (analyze, buffers, costs off, timing off)
     select width_bucket(starts_at, array(select now() - n * interval '1 day' from generate_series(92, 1, -1) n)),
       sum(codes), sum(verified), ${Array.from({ length: 32 }, (_, n) => `sum(seconds[${n + 1}])`).join(", ")}
     from (select * from code_sums where customer_id = 1 and span = 'half_hour' and kind = any('{all}')
       and starts_at >= now() - interval '92 days' and starts_at < now() and mode = 'live') sums group by 1`
  ])
  const text = lines.map((line) => String(line["QUERY PLAN"])).join("\n")
  return `${String(row?.["codes"])} codes in 90 days\n\n${text}`
}

withConsole(async ({ options, store, peyk, newOwner, dataDir }) => {
  await fill(store)
  const rounds = process.argv.includes("--rounds") ? options.rounds : USUAL_ROUNDS
  const owner = await newOwner()
  const authorization = `apikey ${await insertToken(dataDir, 1)}`
  const taken = new Map<string, Array<number>>(pages.map(([name]) => [name, []]))
  const used = new Map<string, number>()
  const cpuNow = () => (sumOver(peyk.pids, cpuSeconds) ?? Number.NaN) + (familyCpuSeconds(store.pid) ?? 0)
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    for (const [name, path] of pages) {
      const address = typeof path === "string" ? path : path()
      const cpuBefore = cpuNow()
      const begun = performance.now()
      if (address.startsWith("/console")) {
        const { status, text } = await owner.get(address)
        if (status !== 200 || text.includes("Still counting"))
          throw new Error(`${address} returned ${status}`)
      } else {
        const response = await fetch(`${peyk.url}${address}`, { headers: { authorization } })
        await response.text()
        if (response.status !== 200) throw new Error(`${address} returned ${response.status}`)
      }
      if (round < WARM_UP) continue
      taken.get(name)?.push(performance.now() - begun)
      used.set(name, (used.get(name) ?? 0) + cpuNow() - cpuBefore)
    }
  }
  console.log(`${machine()}, ${rounds} requests each\n`)
  console.log("| What | least ms | p50 ms | p95 ms | processor time, ms |\n| --- | --- | --- | --- | --- |")
  for (const [name, millis] of taken) {
    const figures = [0, 0.5, 0.95].map((part) => quantile(millis, part).toFixed(1))
    const processor = (((used.get(name) ?? 0) * 1000) / rounds).toFixed(1)
    console.log(`| ${[name, ...figures, processor].join(" | ")} |`)
  }
  console.log(`\n${await plan(store)}`)
})
