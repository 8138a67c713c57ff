import { readdir } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeDataDir, neutralEnvironment, runCommand } from "../../contract/Server.ts"
import { discard } from "../store/Postgres.ts"

let dataDir: string
beforeAll(async () => {
  dataDir = await makeDataDir()
})
afterAll(() => discard(dataDir))

const run = (...args: ReadonlyArray<string>) =>
  runCommand({ ...neutralEnvironment(), PEYK_DATA_DIR: dataDir }, args)

const UUID = "01a2086a-62d7-76a2-956f-99d841041c58"

describe("in a folder without a store", () => {
  const commands = [
    ["customer", "list"],
    ["customer", "create", "--name", "A", "--plan", "free"],
    ["key", "create", "--customer", "1", "--mode", "live"],
    ["account", "list", "--shared"],
    ["signing-key", "rotate"],
    ["verification", "show", "--customer", "1", "--verification", UUID],
    ["migrate"]
  ].map((command) => ({ name: command.slice(0, 2).join(" "), command }))

  it.each(commands)(
    "peyk $name makes none, and says where it looked and what to set",
    async ({ command }) => {
      const { code, out, err } = await run(...command)
      expect({ code, out }).toEqual({ code: 1, out: "" })
      expect(err).toContain(`there is no store in ${dataDir}`)
      expect(err).toMatch(/PEYK_DATA_DIR.*DATABASE_URL/)
      expect(await readdir(dataDir)).toEqual([])
    }
  )

  it("peyk doctor says so among its findings, and makes none", async () => {
    const { code, out } = await run("doctor", "--json")
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      healthy: false,
      checks: expect.arrayContaining([
        { check: "store", ok: false, finding: expect.stringContaining(`there is no store in ${dataDir}`) }
      ])
    })
    expect(await readdir(dataDir)).toEqual([])
  })

  it("peyk openapi needs none", async () => {
    expect((await run("openapi")).code).toBe(0)
  })
})
