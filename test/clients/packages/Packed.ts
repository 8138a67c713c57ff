/** Packs a package as npm would publish it, and installs it into an empty project. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { needed } from "../../support/Needed.ts"

export const root = fileURLToPath(new URL("../../../", import.meta.url))
export const tools = join(root, "test/generators/node_modules")

const run = promisify(execFile)

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program; its output is in the error if it fails. */
export const runProgram = async (
  program: string,
  args: ReadonlyArray<string>,
  { cwd, env = {} }: RunOptions
): Promise<string> => {
  const { stdout } = await run(program, args, {
    cwd,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 24
  }).catch((error: { readonly message: string; readonly stdout: string; readonly stderr: string }) => {
    throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)
  })
  return stdout
}

const node = process.execPath

/** The path of a tarball. */
export const packClient = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-packed-"))
  await runProgram(node, ["scripts/build-client.ts"], { cwd: root })
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
  const name = await runProgram("npm", args, { cwd: join(root, "packages/client") })
  return join(folder, name.trim())
}

export const packServer = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-packed-"))
  await runProgram(node, ["scripts/build-server.ts"], { cwd: root })
  const args = ["pack", "--silent", "--pack-destination", folder]
  const name = await runProgram("npm", args, { cwd: join(root, "build/peyk") })
  return join(folder, name.trim())
}

/** An empty folder with this package installed, as a stranger would have it. */
export const emptyProject = async (tarball: string, files: Readonly<Record<string, string>> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-project-"))
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  await runProgram(
    "npm",
    ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", tarball],
    {
      cwd: folder
    }
  )
  return folder
}

/** The older Nodes that test/generators has for this platform; `npm --prefix test/generators ci` installs them. */
export const olderNodes: ReadonlyArray<readonly [version: string, program: string]> = ["18", "20", "22"]
  .map((version) => [version, join(tools, `node-${version}/bin/node`)] as const)
  .filter(([, program]) => existsSync(program))

export const nodes = [...olderNodes, ["26", node] as const]

export const hasTools = needed(
  existsSync(join(tools, "typescript")),
  "the generators are not installed: npm --prefix test/generators ci"
)
