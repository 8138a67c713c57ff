/** The statements of the hand-written service by pgbench: how fast the database alone runs them one by one. */
import { Redacted } from "effect"
import { execFile, execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { MeasureName } from "./Options.ts"
import { cpuSeconds, familyCpuSeconds } from "./ProcessStats.ts"
import type { Run } from "./Report.ts"
import { quantile } from "./Statistics.ts"
import { SEND, STATUS, VERIFY } from "./reference/statements.ts"
import type { Store } from "./Store.ts"

export interface PgbenchGround {
  readonly path: string
  readonly database: string
  readonly directory: string
  readonly store: Store
  readonly measures: ReadonlyArray<MeasureName>
}

/** As many connections as the services have. */
const CLIENTS = 10
const VERIFIES_EACH = 2000
const WRONG_CODES = 4

const KEY_HASH = `decode('${createHash("sha256").update("svc_live_reference1").digest("hex")}', 'hex')`
const CHANNEL = `'{"type":"messenger","provider":"bale","credential_id":7,"label":"bale"}'`
const PATH = `'[{"type":"messenger","provider":"bale","credential_id":7,"label":"bale"}]'`

/** A parameter of pgbench has no type. */
const idOf = (number: string) =>
  `(lpad(to_hex(:salt::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`
const NUMBER = ":client_id::bigint * 1000000 + :i::bigint"

const filled = (text: string, values: ReadonlyArray<string>) =>
  `${text.replaceAll(/\s+/g, " ").replaceAll(/\$(\d)/g, (_, n) => values[Number(n) - 1] ?? "")};\n`

const scripts = {
  send: `\\set i :i + 1\n\\set phone random(100000000, 999999999)\n${filled(SEND, [
    KEY_HASH,
    "(:salt::text || '-' || :client_id::text || '-' || :i::text)",
    "sha256('request')",
    idOf(NUMBER),
    "('+989' || :phone::text)",
    "sha256(('pepper' || :phone::text)::bytea)",
    PATH,
    CHANNEL
  ])}`,
  wrong: `\\set i :i % ${VERIFIES_EACH / WRONG_CODES} + 1\n${filled(VERIFY, [KEY_HASH, idOf(NUMBER), "sha256('wrong')"])}`,
  right: `\\set i :i + 1\n${filled(VERIFY, [KEY_HASH, idOf(NUMBER), "sha256('right')"])}`,
  status: `\\set i random(1, ${VERIFIES_EACH})\n${filled(STATUS, [KEY_HASH, idOf(NUMBER)])}`
}

/** For each client, its own sent verifications, whose codes are known. */
const seed = (salt: number) => {
  const ids = `select ${idOf("c::bigint * 1000000 + i::bigint").replace(":salt::bigint", `${salt}::bigint`)} as id, i
    from generate_series(0, ${CLIENTS - 1}) c, generate_series(1, ${VERIFIES_EACH}) i`
  return [
    `insert into verifications (id, account_id, phone, code_hash, status, path, expires_at)
      select id, 1, '+98935' || lpad(i::text, 7, '0'), sha256('right'), 'queued', ${PATH}, now() + interval '1 hour' from (${ids}) n`,
    `insert into attempts (verification_id, sequence, channel, status) select id, 1, ${CHANNEL}, 'sent' from (${ids}) n`
  ]
}

export const hasPgbench = (path: string): boolean => {
  try {
    execFileSync(path, ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** The duration of each transaction in milliseconds, from pgbench's log. */
const takeLatencies = (directory: string) => {
  const logs = readdirSync(directory).filter((name) => name.startsWith("pgbench_log"))
  const lines = logs.flatMap((name) => readFileSync(join(directory, name), "utf8").trim().split("\n"))
  for (const name of logs) rmSync(join(directory, name))
  return lines.map((line) => Number(line.split(" ")[2]) / 1000)
}

const perRequest = (before: number | null, after: number | null, requests: number) =>
  before === null || after === null ? null : ((after - before) * 1e6) / requests

/** One turn, like those of the programs. */
export const pgbenchTurn = ({ path, database, directory, store, measures }: PgbenchGround) => {
  const { host, username, password } = store.place
  const port = store.place.port === undefined ? [] : ["-p", String(store.place.port)]
  let salt = 0
  const measure = async (operation: string, script: string, amount: ReadonlyArray<string>): Promise<Run> => {
    const file = join(directory, "pgbench.sql")
    writeFileSync(file, script)
    const where = ["-h", host, ...port, "-U", username, "-n", "-M", "prepared", "-c", `${CLIENTS}`]
    const log = ["--log", "--log-prefix", join(directory, "pgbench_log")]
    const given = ["-D", `salt=${salt}`, "-D", "i=0", "-f", file, ...amount, ...log, database]
    const env = { ...process.env, PGPASSWORD: Redacted.value(password) }
    const before = [familyCpuSeconds(store.pid), cpuSeconds(process.pid, "children")] as const
    const { stdout } = await promisify(execFile)(path, [...where, ...given], { env })
    const after = [familyCpuSeconds(store.pid), cpuSeconds(process.pid, "children")] as const
    const latencies = takeLatencies(directory)
    const run: Run = {
      subject: "pgbench",
      operation,
      perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]),
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      p999: quantile(latencies, 0.999),
      failed: 0,
      programCpu: null,
      // backends that ended with their connections still count: their parent has waited for them
      storeCpu: perRequest(before[0], after[0], latencies.length),
      loadCpu: perRequest(before[1], after[1], latencies.length),
      memory: null
    }
    process.stderr.write(
      `pgbench ${operation}: ${run.perSecond.toFixed(0)}/s, p99 ${run.p99.toFixed(1)} ms\n`
    )
    return run
  }

  return async (seconds: number): Promise<ReadonlyArray<Run>> => {
    const wants = (name: MeasureName) => measures.includes(name)
    const runs: Array<Run> = []
    salt += 1
    if (wants("send")) runs.push(await measure("send", scripts.send, ["-T", `${seconds}`]))
    if (!wants("verify") && !wants("status")) return runs
    const verifications = async () => {
      salt += 1
      await store.run(database, seed(salt))
    }
    await verifications()
    if (wants("status")) runs.push(await measure("status", scripts.status, ["-T", `${seconds}`]))
    if (wants("verify")) {
      runs.push(await measure("verify wrong", scripts.wrong, ["-t", `${VERIFIES_EACH}`]))
      await verifications()
      runs.push(await measure("verify right", scripts.right, ["-t", `${VERIFIES_EACH}`]))
    }
    return runs
  }
}
