import { execFile } from "node:child_process"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Server, startServer } from "../../contract/Server.ts"

const shell = promisify(execFile)

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

const file = () => join(server.dataDir, "demo.txt")
const lines = async () =>
  (await readFile(file(), "utf8")).split("\n").flatMap((line) => (line.startsWith("  curl ") ? [line] : []))
const paste = async (line: string) => JSON.parse((await shell("sh", ["-c", line])).stdout) as object

describe("the curl lines for the demo customer", () => {
  it("are in a file for its owner alone, which the first start names", async () => {
    expect(server.output()).toContain(file())
    expect(((await stat(file())).mode & 0o777).toString(8)).toBe("600")
  })

  it("send another code each time they are pasted", async () => {
    const [send = ""] = await lines()
    const first = await paste(send)
    expect(first).toMatchObject({ status: "queued", verification_id: expect.any(String) })
    const second = await paste(send)
    expect(second).toMatchObject({ status: "queued" })
    expect(second).not.toMatchObject(first)
  })

  it("all work as they are, but for what is to be put in", async () => {
    const fixed = (await lines()).filter((line) => !line.includes("VERIFICATION_ID"))
    expect(fixed.length).toBeGreaterThan(3)
    for (const line of fixed) expect(await paste(line), line).not.toHaveProperty("error")
  })

  it("are where a restart says they are, for the port of that start", async () => {
    await server.terminate()
    server = await server.restart()
    expect(server.output()).toContain(`Curl lines to try it: ${file()}`)
    for (const line of await lines()) expect(line).toContain(server.url)
  }, 60_000)
})
