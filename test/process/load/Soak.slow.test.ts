import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
/** The project's own Node. */
const node = join(root, "node_modules", ".bin", "node")

/** The short form of `npm run soak`: its exit code, and all that it printed. */
const soak = async (...options: ReadonlyArray<string>) => {
  const child = spawn(node, ["bench/soak/run.ts", ...options], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString("utf8")))
  }
  const [code] = await once(child, "close")
  return { code, printed }
}

// Each with the first of its faults that the seed chooses: on a busy machine there is time for few.
it.each([
  {
    name: "two processes hold every invariant while they are killed, stopped, restarted and cut off",
    options: ["--seed", "short", "--apart", "0", "--faults", "kill,stop,rolling,restarted,terminated,cut"],
    first: "rolling restart"
  },
  {
    name: "two processes whose clocks differ hold every invariant while connections are silent and the store cannot write",
    options: ["--seed", "quick", "--faults", "silent,half open,slow,full,read-only,locked"],
    first: "connections to PostgreSQL half open"
  }
])(
  "$name",
  async ({ options, first }) => {
    const { code, printed } = await soak("--seconds", "16", ...options)
    if (code !== 0) console.error(printed)
    const broken = printed.split("\n").filter((line) => line.includes("✗"))
    expect(broken, broken.join("\n")).toEqual([])
    expect(code).toBe(0)
    expect(printed).toContain("every invariant was held")
    expect(printed).toContain(first)
  },
  240_000
)
