import { once } from "node:events"
import { createServer, type Server } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeDataDir, neutralEnvironment, runProgram } from "../../contract/Server.ts"
import { discard } from "../store/Postgres.ts"

let taken: Server
let port: number
let dataDir: string
beforeAll(async () => {
  dataDir = await makeDataDir()
  taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  port = Object(taken.address()).port
})
afterAll(async () => {
  taken.close()
  await discard(dataDir)
})

it.each(["1", "2"])(
  "serve says in plain words that its port is used, with %s processes",
  async (processes) => {
    const env = {
      ...neutralEnvironment(),
      PEYK_DATA_DIR: dataDir,
      PEYK_PORT: String(port),
      PEYK_PROCESSES: processes
    }
    const { code, err } = await runProgram(env, ["serve"], { file: "bin/peyk.js" })
    expect(code).toBe(1)
    expect(err).toContain(`cannot listen on 127.0.0.1:${port}: another program listens there already; choose`)
    expect(err).not.toMatch(/EADDRINUSE|\n +at /)
  }
)

it("the fakes say which ports they need", async () => {
  const { code, err } = await runProgram(neutralEnvironment(), [String(port)], {
    file: "test/support/fakes/main.ts"
  })
  expect(code).toBe(1)
  expect(err).toContain(`They need the ports ${port} to ${port + 13}; choose others`)
  expect(err).not.toMatch(/\n +at /)
})
