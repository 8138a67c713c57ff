/** The receivers that docs/webhooks.md shows in three languages take what Peyk signed, and nothing else. */
import { DateTime } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterAll, describe, expect, it } from "vitest"
import * as client from "../../packages/client/src/index.ts"
import { freePorts } from "../../bench/FreePort.ts"
import { tabsIn } from "../../site/lib/Documents.ts"
import { root } from "../clients/packages/Packed.ts"
import { neutralEnvironment, until } from "../contract/Server.ts"
import { hasPhp, hasPython } from "../support/InstalledPrograms.ts"

const SECRET = `whsec_${Buffer.alloc(32, "good").toString("base64")}`
const tabs = tabsIn(readFileSync(`${root}/docs/webhooks.md`, "utf8")).find(({ 0: first }) =>
  first?.code.includes("verifyWebhook")
)
const codeIn = (label: string) => tabs?.find((tab) => tab.label === label)?.code ?? ""

type Post = (body: string, headers: Readonly<Record<string, string>>) => Promise<number>

const children: Array<ChildProcess> = []
const folder = mkdtempSync(join(tmpdir(), "peyk-receivers-"))
afterAll(async () => {
  for (const child of children) {
    child.kill()
    await once(child, "close")
  }
  rmSync(folder, { recursive: true })
})

const postTo =
  (url: string): Post =>
  async (body, headers) =>
    (await fetch(url, { method: "POST", body, headers })).status

const serve = async (program: string, args: ReadonlyArray<string>, url: string): Promise<Post> => {
  const env = { PEYK_WEBHOOK_SECRET: SECRET, PYTHONPATH: join(root, "clients/python") }
  children.push(spawn(program, [...args], { env: { ...neutralEnvironment(), ...env }, stdio: "ignore" }))
  await until("it listens", () =>
    fetch(url, { method: "HEAD" }).then(
      () => true,
      () => undefined
    )
  )
  return postTo(url)
}

const start: Readonly<Record<string, () => Promise<Post>>> = {
  TypeScript: async () => {
    const script = stripTypeScriptTypes(codeIn("TypeScript"))
      .replace(/^import (\{[^}]*\}) from .*$/m, "const $1 = client")
      .replace("export async function POST", "return async function POST")
    const env = { env: { PEYK_WEBHOOK_SECRET: SECRET } }
    const receive = new Function("client", "process", "console", script)(client, env, { log: () => {} }) as (
      request: Request
    ) => Promise<Response>
    return async (body, headers) =>
      (await receive(new Request("http://127.0.0.1/", { method: "POST", body, headers }))).status
  },
  Python: async () => {
    const port = await freePorts(1)
    const code = codeIn("Python").replace("8091", String(port))
    return serve("python3", ["-c", code], `http://127.0.0.1:${port}/`)
  },
  PHP: async () => {
    const port = await freePorts(1)
    const file = join(folder, "receiver.php")
    const loader = `spl_autoload_register(fn ($class) => require '${join(root, "clients/php/src")}/' . basename(strtr($class, '\\\\', '/')) . '.php');`
    writeFileSync(file, codeIn("PHP").replace("require 'vendor/autoload.php';", loader))
    return serve("php", ["-S", `127.0.0.1:${port}`, file], `http://127.0.0.1:${port}/`)
  }
}

const languages = [
  { label: "TypeScript", isInstalled: true },
  { label: "Python", isInstalled: hasPython() },
  { label: "PHP", isInstalled: hasPhp() }
].filter(({ isInstalled }) => isInstalled)

const signed = (secret: string, minutesAgo = 0) => {
  const body = JSON.stringify({ type: "webhook.test", data: { name: "سلام" } })
  const at = DateTime.toDate(
    DateTime.makeUnsafe(performance.timeOrigin + performance.now() - minutesAgo * 60_000)
  )
  const headers = {
    "content-type": "application/json",
    "webhook-id": "id-1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("id-1", at, body)
  }
  return { body, headers }
}

describe("the receivers of docs/webhooks.md", () => {
  it.each(languages)("take an event of Peyk, and refuse others: $label", async ({ label }) => {
    const post = await start[label]?.()
    const own = signed(SECRET)
    expect(await post?.(own.body, own.headers)).toBe(204)
    expect(await post?.(own.body.replace("سلام", "سلامت"), own.headers)).toBe(401)
    const foreign = signed(`whsec_${Buffer.alloc(32, "bad!").toString("base64")}`)
    expect(await post?.(foreign.body, foreign.headers)).toBe(401)
    const old = signed(SECRET, 6)
    expect(await post?.(old.body, old.headers)).toBe(401)
  })
})
