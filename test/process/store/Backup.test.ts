import { randomBytes } from "node:crypto"
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newPhone, otp } from "../../contract/Client.ts"
import { codeOf } from "../../contract/Operator.ts"
import {
  type Finished,
  makeDataDir,
  neutralEnvironment,
  runCommand,
  runProgram,
  type Server,
  startProcess,
  startServer,
  until
} from "../../contract/Server.ts"
import { linesOf, writeLines } from "./BackupLines.ts"
import { discard } from "./Postgres.ts"

const environmentOf = (dataDir: string) => ({ ...neutralEnvironment(), PEYK_DATA_DIR: dataDir })

const peyk = (dataDir: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  runCommand({ ...environmentOf(dataDir), ...env }, args)

/** It ended with exit code 1 and one sentence that says why. */
const refusedWith = ({ code, out, err }: Finished, why: RegExp) => {
  expect(err).toMatch(why)
  expect({ code, out }).toEqual({ code: 1, out: "" })
}

interface Sent {
  readonly id: string
  readonly phone: string
}

let server: Server
let file: string
let before: ReadonlyArray<Sent>
let code: string
const folders: Array<string> = []
const newFolder = async () => {
  const folder = await makeDataDir()
  folders.push(folder)
  return folder
}

/** Sends one after the other until stopped. */
const keepSending = (api: ReturnType<typeof otp>) => {
  const over = new AbortController()
  let count = 0
  const done = (async () => {
    while (!over.signal.aborted) {
      await api.sent({ phone: newPhone(), channels: ["bale", "sms"] })
      count += 1
    }
  })()
  return {
    count: () => count,
    stop: () => {
      over.abort()
      return done
    }
  }
}

beforeAll(async () => {
  server = await startServer()
  const api = otp(server, server.demo.live_key)
  const sendOne = async (): Promise<Sent> => {
    const phone = newPhone()
    const { verification_id: id } = await api.sent({ phone, channels: ["bale", "sms"] })
    return { id, phone }
  }
  before = await Promise.all(Array.from({ length: 20 }, sendOne))
  code = await codeOf(server, before[0]?.phone ?? "")
  const load = Array.from({ length: 8 }, () => keepSending(api))
  await until("sends", async () => (load.every(({ count }) => count() > 0) ? true : undefined))
  file = join(await newFolder(), "peyk.backup")
  const counted = () => load.reduce((sum, { count }) => sum + count(), 0)
  const atStart = counted()
  const { code: ended, err } = await server.run("backup", file)
  expect({ ended, err }).toEqual({ ended: 0, err: "" })
  expect(counted(), "sends went on meanwhile").toBeGreaterThan(atStart)
  await Promise.all(load.map(({ stop }) => stop()))
})
afterAll(async () => {
  await server?.stop()
  for (const folder of folders) await discard(folder)
})

describe("a backup that was made while codes were sent", () => {
  it("is a file for its owner alone, appears as a whole, and does not hold the master secret", async () => {
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe("600")
    expect(await readdir(join(file, ".."))).toEqual(["peyk.backup"])
    const text = gunzipSync(await readFile(file)).toString("utf8")
    const secret = (await readFile(join(server.dataDir, "secret"), "utf8")).trim()
    expect(text).not.toContain(secret)
    expect(text).not.toContain(Buffer.from(secret, "base64").toString("hex"))
    expect(text).not.toContain(server.demo.live_key)
  })

  it("is restored to a store that adds up, in which what was sent before is verified", async () => {
    const dataDir = await newFolder()
    await copyFile(join(server.dataDir, "secret"), join(dataDir, "secret"))
    const { code: ended, out } = await peyk(dataDir, ["restore", file, "--json"])
    expect(ended).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ master_secret: "opens this store" })

    const restored = await startProcess({ dataDir })
    try {
      const api = otp(restored, server.demo.live_key)
      for (const { id } of before) expect((await api.status(id)).status).toBe("queued")
      expect(await api.outcome(before[0]?.id ?? "", code)).toEqual({ verified: true, reason: "ok" })
      const sent = await api.sent({ phone: newPhone(), channels: "bale" })
      expect(sent.status).toBe("queued")
      expect(await restored.cli("doctor")).toMatchObject({ healthy: true })
    } finally {
      await restored.terminate()
    }
  }, 60_000)

  it("is restored without the master secret too, and says where that belongs", async () => {
    const dataDir = await newFolder()
    const { code: ended, out, err } = await peyk(dataDir, ["restore", file, "--json"])
    expect(ended).toBe(0)
    expect(JSON.parse(out).master_secret).toContain(join(dataDir, "secret"))
    expect(err).toMatch(/^warning: .*master secret is missing. Peyk does not start on it/m)
    expect(err).toContain(join(dataDir, "secret"))
    refusedWith(await runProgram(environmentOf(dataDir), ["serve"]), /the master secret .* is gone/)
  }, 60_000)
})

describe("peyk restore", () => {
  it("refuses a data directory that has a store, and leaves it alone", async () => {
    refusedWith(await server.run("restore", file), /there is a store in .* already/)
    expect((await otp(server, server.demo.live_key).status(before[1]?.id ?? "")).status).toBe("queued")
  })

  it("refuses another master secret before it makes anything", async () => {
    const dataDir = await newFolder()
    const PEYK_SECRET = randomBytes(32).toString("base64")
    refusedWith(await peyk(dataDir, ["restore", file], { PEYK_SECRET }), /another master secret/)
    expect(await readdir(dataDir)).toEqual([])
  })

  it("refuses a backup of a newer version before it makes anything", async () => {
    const dataDir = await newFolder()
    const newer = join(await newFolder(), "newer.backup")
    const [header = "", ...others] = await linesOf(file)
    await writeLines(newer, [header.replace(/"migration":\d+/, '"migration":9999'), ...others])
    refusedWith(await peyk(dataDir, ["restore", newer]), /made by a newer version/)
    expect(await readdir(dataDir)).toEqual([])
  })

  it.each([
    ["a file that is none", Buffer.from("nonsense"), /cannot be read/],
    ["one that is compressed, and none", gzipSync("{}\n"), /no backup that this version/]
  ])("refuses %s before it makes anything", async (_, bytes, why) => {
    const dataDir = await newFolder()
    const broken = join(await newFolder(), "broken.backup")
    await writeFile(broken, bytes)
    refusedWith(await peyk(dataDir, ["restore", broken]), why)
    expect(await readdir(dataDir)).toEqual([])
  })

  it.each([0.02, 0.5, 0.98])("says that a file is damaged, and leaves nothing behind: at %d", async (at) => {
    const dataDir = await newFolder()
    const damaged = join(await newFolder(), "damaged.backup")
    const bytes = await readFile(file)
    const place = Math.floor(bytes.length * at)
    bytes[place] = (bytes[place] ?? 0) ^ 0x10
    await writeFile(damaged, bytes)
    refusedWith(await peyk(dataDir, ["restore", damaged]), /damaged\.backup is damaged/)
    expect(await readdir(dataDir)).toEqual([])
  })

  it("restores nothing of a backup that was cut off, and the whole one after that", async () => {
    const dataDir = await newFolder()
    const cut = join(await newFolder(), "cut.backup")
    const whole = await readFile(file)
    await writeFile(cut, whole.subarray(0, whole.length - 200))
    refusedWith(await peyk(dataDir, ["restore", cut]), /cannot be read/)
    expect(await readdir(dataDir)).toEqual([])
    await writeLines(cut, (await linesOf(file)).slice(0, -1))
    refusedWith(await peyk(dataDir, ["restore", cut]), /not whole/)
    expect(await readdir(dataDir)).toEqual([])
    expect((await peyk(dataDir, ["restore", file])).code).toBe(0)
  }, 60_000)
})

describe("peyk backup", () => {
  it("makes no store where there is none", async () => {
    const dataDir = join(await newFolder(), "data")
    await mkdir(dataDir)
    refusedWith(await peyk(dataDir, ["backup", join(dataDir, "x")]), /there is no store/)
    expect(await readdir(dataDir)).toEqual([])
  })

  it("leaves nothing behind where it cannot write, and names the file", async () => {
    const missing = join(await newFolder(), "no", "such", "folder")
    refusedWith(await server.run("backup", missing), /cannot be written.*ENOENT/)
  })
})
