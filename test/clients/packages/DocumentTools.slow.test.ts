/** Other people's tools read openapi.json. The tools are in test/generators: `npm --prefix test/generators ci`. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { readDocument } from "../../../scripts/ClientFiles.ts"
import { clientTypes } from "../../../scripts/ClientTypes.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"
import { hasTools, root, runProgram, tools } from "./Packed.ts"

const configuration = join(root, "test/generators")
const tool = (name: string, ...args: ReadonlyArray<string>) =>
  runProgram(process.execPath, [join(tools, name), ...args], { cwd: configuration })

/** Compiles only if each schema, and what each operation takes and returns, is the same in both files. */
const COMPARED = `
import type * as Ours from "./ours"
import type * as Theirs from "./theirs"
type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : undefined
type Parts<O> = O extends { parameters: { query?: infer Q; header?: infer H; path?: infer P }; responses: infer R }
  ? {
      body: O extends { requestBody?: infer B } ? Json<NonNullable<B>> : never
      query: Q; header: H; path: P
      responses: { [Status in keyof R]: Json<R[Status]> }
    }
  : never
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Different<A, B> = { [K in keyof A | keyof B]: K extends keyof A & keyof B ? (Same<A[K], B[K]> extends true ? never : K) : K }[keyof A | keyof B]
type PartsOf<O> = { [Id in keyof O]: Parts<O[Id]> }
type OfPaths = Omit<Theirs.operations, keyof { [Id in keyof Theirs.operations as Id extends \`receive\${string}\` ? Id : never]: 1 }>
const schemas: Different<Ours.components["schemas"], Theirs.components["schemas"]>[] = []
const operations: Different<PartsOf<Ours.operations>, PartsOf<OfPaths>>[] = []
const noSchema: never = schemas[0]!
const noOperation: never = operations[0]!
export { noSchema, noOperation }
`

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

  it("gives @peyk/client the types that openapi-typescript gives", async () => {
    const folder = await mkdtemp(join(tmpdir(), "peyk-types-"))
    const options = ["--empty-objects-unknown", "-o", join(folder, "theirs.ts")]
    await tool("openapi-typescript/bin/cli.js", join(root, "openapi.json"), ...options)
    await writeFile(join(folder, "ours.ts"), clientTypes(readDocument()))
    await writeFile(join(folder, "compared.ts"), COMPARED)
    const strict = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022"]
    expect(await tool("typescript/bin/tsc", ...strict, join(folder, "compared.ts"))).toBe("")
  })

  it("makes a client with hey-api that sends and verifies a code", async () => {
    const folder = await mkdtemp(join(tmpdir(), "peyk-hey-api-"))
    await tool("@hey-api/openapi-ts/bin/run.js", "-i", join(root, "openapi.json"), "-o", folder, "--silent")
    await writeFile(join(folder, "package.json"), '{"type":"module"}')
    const options =
      "--ignoreConfig --skipLibCheck --module nodenext --target es2024 --lib es2024,dom,dom.iterable"
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const given = [...options.split(" "), "--outDir", "built", "sdk.gen.ts"]
    await runProgram(process.execPath, [compiler, ...given], { cwd: folder })
    const sdk = await import(/* @vite-ignore */ join(folder, "built/sdk.gen.js"))
    const { client } = await import(/* @vite-ignore */ join(folder, "built/client.gen.js"))
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
