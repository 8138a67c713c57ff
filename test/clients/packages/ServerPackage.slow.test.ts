import { spawn } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { beforeAll, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { until } from "../../contract/Server.ts"
import { emptyProject, packServer, root, runProgram } from "./Packed.ts"

let project: string
beforeAll(async () => {
  project = await emptyProject(await packServer())
}, 240_000)

it("the pages of the package link only to what it has", async () => {
  const folder = join(project, "node_modules/peyk")
  const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: folder })]
  expect(pages.length).toBeGreaterThan(20)
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(folder, page), "utf8").matchAll(/\]\(([^)#\s]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(folder, dirname(page), target)))
      .map((target) => `${page}: ${target}`)
  )
  expect(missing).toEqual([])
})

it("the packed program names the lines of its source where it fails", async () => {
  const broken = `import net from "node:net"
    import { syncBuiltinESMExports } from "node:module"
    net.createServer = () => { throw new Error("no server today") }
    syncBuiltinESMExports()`
  const preload = `--import "data:text/javascript,${encodeURIComponent(broken)}"`
  const failed = runProgram("npx", ["--no-install", "peyk", "serve"], {
    cwd: project,
    env: { NODE_OPTIONS: preload, PEYK_LOG_FORMAT: "json" }
  })
  const line = /\(src\/layers\/system\/SharedPort\.ts:(\d+)\)/
  await expect(failed).rejects.toThrow(line)
  const [, number] = line.exec(String(await failed.catch(String))) ?? []
  const source = readFileSync(join(root, "src/layers/system/SharedPort.ts"), "utf8").split("\n")
  expect(source[Number(number) - 1]).toContain("createServer(")
})

it(
  "the packed server serves from an empty folder, and sends and verifies a code",
  { timeout: 240_000 },
  async () => {
    const files = await runProgram("find", ["node_modules/peyk", "-type", "f"], { cwd: project })
    expect(files).not.toMatch(/(?<!\.d)\.ts\n|peyk\/(?:test|bench)\//)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const server = spawn("npx", ["--no-install", "peyk", "serve"], {
      cwd: project,
      env: { ...process.env, PEYK_PORT: String(port) },
      detached: true,
      stdio: "ignore"
    })
    try {
      await until(
        "the server",
        async () => ((await fetch(`${url}/readyz`).catch(() => null))?.ok ? true : undefined),
        60_000
      )
      const demo = JSON.parse(await readFile(join(project, "data/demo.json"), "utf8"))
      const post = (path: string, body: unknown) =>
        fetch(`${url}${path}`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-api-key": demo.live_key,
            "idempotency-key": "one"
          },
          body: JSON.stringify(body)
        }).then((reply) => reply.json() as Promise<Readonly<Record<string, unknown>>>)
      const { verification_id } = await post("/v1/otp/send", { phone: "09121234567" })
      const shown = await fetch(`${url}/simulator/messages?phone=%2B989121234567`).then((reply) =>
        reply.json()
      )
      const [{ code }] = (shown as { readonly data: [{ readonly code: string }] }).data
      expect(await post("/v1/otp/verify", { verification_id, code })).toEqual({
        verified: true,
        reason: "ok"
      })
      expect((await fetch(`${url}/console/sign-in`)).status).toBe(200)
      expect((await fetch(`${url}/simulator`)).status).toBe(200)
      const keys = await runProgram(
        "npx",
        ["--no-install", "peyk", "key", "list", "--customer", "1", "--json"],
        {
          cwd: project
        }
      )
      expect(keys).toContain("svc_live_")
    } finally {
      process.kill(-(server.pid ?? 0), "SIGTERM")
    }
  }
)
