import { readFileSync } from "node:fs"
import { join } from "node:path"
import vm from "node:vm"
import { beforeAll, describe, expect, it } from "vitest"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"
import { emptyProject, hasTools, nodes, packClient, root, runProgram, tools } from "./Packed.ts"

const tenLines = `
import { createClient } from "@peyk/client"
const { PEYK_URL: baseUrl, LIVE_KEY, TEST_KEY } = process.env
const live = createClient({ baseUrl, apiKey: LIVE_KEY })
const { verification_id } = await live.otp.send({ phone: "09121234567", channels: ["bale", "sms"] })
const page = await fetch(baseUrl + "/simulator/messages?phone=%2B989121234567").then((reply) => reply.json())
console.log(JSON.stringify(await live.otp.verify({ verification_id, code: page.data.find(({ code }) => code).code })))
const { sandbox } = createClient({ baseUrl, apiKey: TEST_KEY })
const simulated = await sandbox.send({ phone: "09121234567" })
console.log(JSON.stringify(await sandbox.verify({ verification_id: simulated.verification_id, code: "123456" })))
`

const typed = `
import { createClient, isPeykError, type WebhookEvent, verifyWebhook } from "@peyk/client"

const peyk = createClient({ baseUrl: "https://peyk.example.ir", apiKey: "svc_live_" })
export const status = (await peyk.otp.send({ phone: "0912" })).status satisfies "queued" | "failed"
export const id: number = (await peyk.manage.apiKeys.create({ name: "backend", mode: "live" })).id
for await (const { secret } of []) console.log(secret)
try {
  await peyk.messages.send({ to: "0912", message: "سلام", channels: ["bale"] })
} catch (error) {
  if (isPeykError(error) && error.code === "validation_error") console.log(error.details.errors[0]?.path)
}
// @ts-expect-error a phone is required
await peyk.otp.send({})
// @ts-expect-error a mode is live or test
await peyk.manage.apiKeys.create({ name: "backend", mode: "other" })
export const event: Promise<WebhookEvent> = verifyWebhook({ payload: "", headers: {}, secret: "" })
`

const typedEffect = `
import { Peyk } from "@peyk/client/effect"
import { Effect } from "effect"

export const program: Effect.Effect<boolean> = Effect.gen(function* () {
  const service = yield* Peyk
  return (yield* service.otp.verify({ verification_id: "v", code: "1" })).verified
}).pipe(
  Effect.catchTag("not_found", (error) => Effect.succeed(error.status === 404)),
  Effect.orDie,
  Effect.provide(Peyk.layer({ baseUrl: "https://peyk.example.ir" }))
)
`

/** The blocks of the package's page, but those for Effect. */
const page = readFileSync(join(root, "packages/client/README.md"), "utf8")
const blocks = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = ""]) => code)
const shown = blocks.filter((code) => !code.includes("@peyk/client/effect")).join("")

let server: SharedServer
let project: string
beforeAll(async () => {
  const tarball = await packClient()
  const files = { "ten.mjs": tenLines, "typed.ts": typed, "typedEffect.ts": typedEffect, "shown.ts": shown }
  server = sharedServer()
  project = await emptyProject(tarball, files)
})

describe("the packed client, in an empty project", () => {
  it("has nothing but its compiled files, and brings no other package", async () => {
    expect(await runProgram("ls", ["node_modules", "node_modules/@peyk"], { cwd: project })).toBe(
      "node_modules:\n@peyk\n\nnode_modules/@peyk:\nclient\n"
    )
    const files = await runProgram("find", ["node_modules/@peyk/client", "-type", "f"], { cwd: project })
    expect(files).not.toMatch(/(?<!\.d)\.ts\n|test/)
  })

  it.each(nodes)("sends and verifies a code on Node %s", async (version, node) => {
    expect(await runProgram(node, ["--version"], { cwd: project })).toMatch(new RegExp(`^v${version}\\.`))
    const env = { PEYK_URL: server.url, LIVE_KEY: server.demo.live_key, TEST_KEY: server.demo.test_key }
    const output = await runProgram(node, ["ten.mjs"], { cwd: project, env })
    expect(output.trim().split("\n")).toEqual(
      Array.from({ length: 2 }, () => '{"verified":true,"reason":"ok"}')
    )
  })

  it("runs from a bundle for browsers, with nothing of Node", async () => {
    const { build } = await import("vite")
    const bundle = await build({
      root: project,
      logLevel: "silent",
      build: {
        write: false,
        minify: false,
        lib: {
          entry: join(project, "node_modules/@peyk/client/dist/index.js"),
          name: "peyk",
          formats: ["iife"]
        }
      }
    })
    const [{ output }] = bundle as never as [{ readonly output: ReadonlyArray<{ readonly code: string }> }]
    const { code = "" } = output[0] ?? {}
    expect(code).not.toMatch(/require\(|from ?"node:|process\./)
    const { crypto, fetch, Request, setTimeout, clearTimeout, AbortController, URLSearchParams } = globalThis
    const web = {
      crypto,
      fetch,
      Request,
      setTimeout,
      clearTimeout,
      AbortController,
      URLSearchParams,
      Error,
      TypeError
    }
    const context = vm.createContext({ ...web, base: server.url, key: server.demo.test_key })
    const script = `${code}; peyk.createClient({ baseUrl: base, apiKey: key }).sandbox.send({ phone: "09121234567" })`
    expect(await vm.runInContext(script, context)).toMatchObject({ status: "queued" })
  })

  /** What the compiler has to say. */
  const compile = (
    compiler: string,
    resolution: string,
    file: string,
    ...more: ReadonlyArray<string>
  ): Promise<string> => {
    const module = resolution === "bundler" ? "esnext" : "nodenext"
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022"]
    const libraries = ["--lib", "es2023,dom,dom.asynciterable"]
    const own = ["--module", module, "--moduleResolution", resolution, ...more, file]
    return runProgram(process.execPath, [compiler, ...options, ...libraries, ...own], { cwd: project })
  }

  const compiler5 = join(tools, "typescript/bin/tsc")
  const compiler7 = join(root, "node_modules/typescript/bin/tsc")

  it.runIf(hasTools).each(["nodenext", "bundler"])("has types for %s of TypeScript 5", async (resolution) => {
    expect(await compile(compiler5, resolution, "typed.ts")).toBe("")
  })

  it.each(["nodenext", "bundler"])("has types for %s of TypeScript 7", async (resolution) => {
    expect(await compile(compiler7, resolution, "typed.ts")).toBe("")
  })

  it("has a page whose blocks compile with exactOptionalPropertyTypes", async () => {
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")]
    expect(await compile(compiler7, "nodenext", "shown.ts", "--exactOptionalPropertyTypes", ...types)).toBe(
      ""
    )
  })

  it("has types for Effect", async () => {
    await runProgram("ln", ["-sfn", join(root, "node_modules/effect"), "node_modules/effect"], {
      cwd: project
    })
    expect(await compile(compiler7, "nodenext", "typedEffect.ts")).toBe("")
  })
})
