import { afterAll, expect, it } from "vitest"
import { makeDataDir, neutralEnvironment, runProgram } from "../../contract/Server.ts"
import { discard } from "../store/Postgres.ts"

const folders: Array<string> = []
afterAll(async () => {
  for (const folder of folders) await discard(folder)
}, 60_000)

it("peyk demo prints its walk and nothing else, and no wait that is over", async () => {
  const dataDir = await makeDataDir()
  folders.push(dataDir)
  const { code, out, err } = await runProgram({ ...neutralEnvironment(), PEYK_DATA_DIR: dataDir }, ["demo"])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toMatch(/Send a code to[^]*rubika: failed[^]*bale: sent[^]*The verification is verified/)
  expect(out).not.toContain("in 0 s")
}, 60_000)
