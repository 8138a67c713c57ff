import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { BACKUP_FORMAT } from "../../../src/layers/postgres/backup/BackupFormat.ts"
import { latestMigration } from "../../../src/layers/postgres/Migrations.ts"
import { neutralEnvironment, until } from "../../contract/Server.ts"
import { programFile } from "../../support/Programs.ts"

const MEBIBYTE = 1024 * 1024
const node = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "peyk-bombs-"))
})
afterAll(() => rm(folder, { recursive: true }))

const header = (rows: Readonly<Record<string, number>> = { users: 1_000_000_000 }) =>
  `${JSON.stringify({
    format: BACKUP_FORMAT,
    migration: latestMigration,
    made_at: "2026-11-26T00:00:00.000Z",
    final: false,
    secret_check: null,
    rows
  })}\n${JSON.stringify({ table: "users", columns: ["id"] })}\n`

/** A compressed file: a beginning, and a part that is repeated. */
const pack = async (name: string, beginning: string, part: string | (() => string), times: number) => {
  function* parts() {
    yield beginning
    for (let n = 0; n < times; n++) yield typeof part === "string" ? part : part()
  }
  const file = join(folder, name)
  await pipeline(Readable.from(parts()), createGzip(), createWriteStream(file))
  return file
}

const startRestore = (file: string) => {
  const dataDir = join(folder, `data-${randomBytes(4).toString("hex")}`)
  const env = { ...neutralEnvironment(), PEYK_DATA_DIR: dataDir }
  const child = spawn(node, [programFile("peyk"), "restore", file], { env })
  let err = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  const ended = once(child, "exit").then(([code, signal]) => ({ code, signal, err }))
  return { child, dataDir, ended }
}

const createsNothing = async (dataDir: string) => expect(await readdir(dataDir).catch(() => [])).toEqual([])

describe.runIf(process.platform === "linux")("peyk restore", () => {
  it("refuses what unpacks to far more than its size, before it has", async () => {
    const rows = `["${"x".repeat(4000)}"]\n`.repeat(256)
    const file = await pack("ratio.backup", header(), rows, 64)
    const { dataDir, ended } = startRestore(file)
    const { code, err } = await ended
    expect(code).toBe(1)
    expect(err).toMatch(/is damaged, or no backup.*it unpacks to more than 100 times its size/)
    await createsNothing(dataDir)
  })

  it("refuses a line that has no end", async () => {
    const noise = () => randomBytes(MEBIBYTE / 2).toString("hex")
    const { dataDir, ended } = startRestore(await pack("line.backup", `${header()}["`, noise, 70))
    const { code, err } = await ended
    expect(code).toBe(1)
    expect(err).toContain("a line of it is longer than any row")
    await createsNothing(dataDir)
  })

  it("refuses rows that the file's own list does not have", async () => {
    const { dataDir, ended } = startRestore(await pack("rows.backup", header({ users: 2 }), '["x"]\n', 3))
    const { code, err } = await ended
    expect(code).toBe(1)
    expect(err).toContain("“users” has more than its 2 rows")
    await createsNothing(dataDir)
  })

  it.each(["SIGTERM", "SIGINT"] as const)(
    "stops at once on %s, and leaves nothing",
    async (signal) => {
      const row = () => `["${randomBytes(2048).toString("hex")}"]\n`.repeat(16)
      const file = await pack("long.backup", header(), row, 8000)
      const { child, dataDir, ended } = startRestore(file)
      await until("the file to be read", async () =>
        (await isReading(child.pid ?? 0, file)) ? true : undefined
      )
      const asked = performance.now()
      child.kill(signal)
      const { code, signal: by } = await ended
      expect(performance.now() - asked).toBeLessThan(5000)
      expect([code, by]).not.toEqual([1, null])
      await createsNothing(dataDir)
    },
    60_000
  )
})

/** Whether a process has the file open. */
const isReading = async (pid: number, file: string): Promise<boolean> => {
  const { ino } = await stat(file)
  const folderOfFiles = `/proc/${pid}/fd`
  for (const name of await readdir(folderOfFiles).catch(() => [])) {
    const found = await stat(join(folderOfFiles, name)).catch(() => null)
    if (found?.ino === ino) return true
  }
  return false
}
