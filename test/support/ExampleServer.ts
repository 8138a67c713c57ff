import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const exampleOf = (document: string): string => {
  const text = fs.readFileSync(new URL(`../../docs/${document}`, import.meta.url), "utf8")
  const [, code] = /```js\n([\s\S]*?)```/.exec(text) ?? []
  if (code === undefined) throw new Error(`docs/${document} shows no server`)
  return code
}

export interface ExampleServer {
  readonly url: string
  /** What it has printed when it is over, a line each. */
  readonly stop: Effect.Effect<ReadonlyArray<string>>
}

const start = async (
  document: string,
  directory: string,
  env: Readonly<Record<string, string>>
): Promise<ExampleServer> => {
  const file = path.join(directory, "example.mjs")
  fs.writeFileSync(file, exampleOf(document))
  const modules = fileURLToPath(new URL("../../node_modules", import.meta.url))
  fs.symlinkSync(modules, path.join(directory, "node_modules"))
  const child = spawn(process.execPath, [file], {
    env: { ...env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const printed: Array<string> = []
  const closed = once(child, "close")
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => printed.push(line))
  await Promise.race([once(lines, "line"), closed])
  const port = /^listening on (\d+)$/.exec(printed[0] ?? "")?.[1]
  if (port === undefined) throw new Error("the example did not start")
  const stop = Effect.promise(async () => {
    child.kill()
    await closed
    return printed.slice(1)
  })
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** The server that a document shows, as a process of its own. */
export const exampleServer = Effect.fnUntraced(function* (
  document: string,
  env: Readonly<Record<string, string>>
) {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "peyk-example-"))),
    (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
  )
  return yield* Effect.acquireRelease(
    Effect.promise(() => start(document, directory, env)),
    ({ stop }) => stop
  )
})
