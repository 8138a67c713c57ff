import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { neutralEnvironment, runProgram, startServer } from "../../contract/Server.ts"
import { programFile } from "../../support/Programs.ts"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "peyk-env-"))
})
afterAll(() => rm(folder, { recursive: true }))

const write = async (text: string) => {
  const file = join(folder, "settings.env")
  await writeFile(file, text)
  return file
}

const run = (env: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>) =>
  runProgram({ ...neutralEnvironment(), ...env }, args)

describe("--env-file", () => {
  it.each([
    ["behind the command", (file: string) => ["customer", "list", "--env-file", file]],
    ["before it", (file: string) => ["--env-file", file, "customer", "list"]],
    ["with an equals sign", (file: string) => ["customer", "list", `--env-file=${file}`]]
  ])("gives settings to a command, %s", async (_, command) => {
    const file = await write(`# where\nPEYK_DATA_DIR=${folder}/nothing\n`)
    const { code, err } = await run({}, ...command(file))
    expect(code).toBe(1)
    expect(err).toContain(`there is no store in ${folder}/nothing`)
  })

  it("leaves what the environment says as it is", async () => {
    const file = await write(`PEYK_DATA_DIR=${folder}/of-the-file\n`)
    const { err } = await run(
      { PEYK_DATA_DIR: `${folder}/of-the-environment` },
      "customer",
      "list",
      "--env-file",
      file
    )
    expect(err).toContain(`there is no store in ${folder}/of-the-environment`)
  })

  it("that cannot be read ends the command, and is named", async () => {
    const { code, out, err } = await run({}, "customer", "list", "--env-file", `${folder}/none.env`)
    expect(code).not.toBe(0)
    expect(out).toBe("")
    expect(err).toContain(`${folder}/none.env`)
  })

  it("is for several processes and for logs as well", async () => {
    const file = await write("PEYK_PROCESSES=2\nPEYK_MAX_BODY_BYTES=1024\nPEYK_LOG_LEVEL=Error\nPEYK_PRT=1\n")
    const server = await startServer({ command: [programFile("peyk"), "serve", "--env-file", file] })
    try {
      for (let attempt = 0; attempt < 8; attempt++) {
        const reply = await fetch(`${server.url}/v1/otp/send`, {
          method: "POST",
          headers: {
            "x-api-key": server.demo.live_key,
            "idempotency-key": String(attempt),
            "content-type": "application/json"
          },
          body: JSON.stringify({ phone: "0".repeat(2000) })
        })
        expect(reply.status).toBe(413)
      }
      expect(server.output()).not.toContain("PEYK_PRT")
    } finally {
      await server.stop()
    }
  }, 60_000)
})

describe(".env.example", () => {
  it("is a file that peyk can start with as it is", async () => {
    const file = join(folder, ".env")
    await copyFile(fileURLToPath(new URL("../../../.env.example", import.meta.url)), file)
    const { code, err } = await run(
      { PEYK_DATA_DIR: `${folder}/nothing`, PEYK_PORT: String(await freePort()) },
      "customer",
      "list",
      "--env-file",
      file
    )
    expect(code).toBe(1)
    expect(err).toContain("there is no store in")
  })
})
