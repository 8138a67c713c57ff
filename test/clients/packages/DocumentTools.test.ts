/** Other people's tools read openapi.json. The tools are in test/generators: `npm --prefix test/generators ci`. */
import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"
import { hasTools, root, runProgram, tools } from "./Packed.ts"

const configuration = join(root, "test/generators")
const tool = (name: string, ...args: ReadonlyArray<string>) =>
  runProgram(process.execPath, [join(tools, name), ...args], { cwd: configuration })

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

describe.runIf(hasTools)("the OpenAPI document", () => {
  it("has no errors and no warnings for Redocly", async () => {
    const document = join(root, "openapi.json")
    const output = await tool(
      "@redocly/cli/bin/cli.js",
      "lint",
      document,
      "--format=json",
      "--max-problems=1000"
    )
    expect(JSON.parse(output.slice(output.indexOf("{"))).problems).toEqual([])
  })

  it("has no errors and no warnings for Spectral", async () => {
    const options = ["lint", join(root, "openapi.json"), "-r", "spectral.yaml", "--fail-severity=hint"]
    expect(await tool("@stoplight/spectral-cli/dist/index.js", ...options)).toContain("No results")
  })

  it("gives @peyk/client the types that it has", async () => {
    const folder = await mkdtemp(join(tmpdir(), "peyk-types-"))
    const file = join(folder, "api.ts")
    await tool("openapi-typescript/bin/cli.js", join(root, "openapi.json"), "-o", file)
    await runProgram(join(root, "node_modules/.bin/oxfmt"), ["-c", join(root, ".oxfmtrc.json"), file], {
      cwd: folder
    })
    const committed = await readFile(join(root, "packages/client/src/api.ts"), "utf8")
    expect(await readFile(file, "utf8")).toBe(committed)
  })

  it("makes a client with hey-api that sends and verifies a code", async () => {
    const folder = await mkdtemp(join(tmpdir(), "peyk-hey-api-"))
    await tool("@hey-api/openapi-ts/bin/run.js", "-i", join(root, "openapi.json"), "-o", folder, "--silent")
    const sdk = await import(/* @vite-ignore */ join(folder, "sdk.gen.ts"))
    const { client } = await import(/* @vite-ignore */ join(folder, "client.gen.ts"))
    client.setConfig({ baseUrl: server.url, auth: () => server.demo.test_key })
    const sent = await sdk.sandboxSend({ body: { phone: "09121234567", channels: ["bale"] } })
    expect(sent.data).toMatchObject({ status: "queued" })
    const body = { verification_id: sent.data.verification_id, code: "123456" }
    expect((await sdk.sandboxVerify({ body })).data).toEqual({ verified: true, reason: "ok" })
    const refused = await sdk.sandboxSend({ body: { phone: "1" } })
    expect(refused.error).toMatchObject({ error: { code: "invalid_phone" } })
  })

  it("makes a Postman collection with every operation", async () => {
    const folder = await mkdtemp(join(tmpdir(), "peyk-postman-"))
    const file = join(folder, "collection.json")
    await tool("openapi-to-postmanv2/bin/openapi2postmanv2.js", "-s", join(root, "openapi.json"), "-o", file)
    const collection = await readFile(file, "utf8")
    const document = JSON.parse(await readFile(join(root, "openapi.json"), "utf8"))
    const operations = Object.values<object>(document.paths).flatMap((item) => Object.keys(item))
    expect(collection.match(/"request":/g)?.length).toBeGreaterThanOrEqual(operations.length)
  })
})
