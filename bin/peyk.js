#!/usr/bin/env node
// Plain JavaScript that any Node can read: it finds the Node that Peyk needs, or says what is missing.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as module from "node:module"
import { fileURLToPath } from "node:url"

const NEEDED = 26
const main = new URL("../src/main.ts", import.meta.url)
const ownNode = fileURLToPath(
  new URL(`../node_modules/.bin/node${process.platform === "win32" ? ".cmd" : ""}`, import.meta.url)
)

if (Number(process.versions.node.split(".")[0]) >= NEEDED) {
  // Keeps what was compiled, beside the packages (not in a directory that others can write to): commands start faster.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/peyk", import.meta.url)))
  await import(main.href)
} else if (existsSync(ownNode)) {
  const child = spawn(ownNode, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128)
  })
} else {
  console.error(
    `Peyk needs Node ${NEEDED} or newer; this is ${process.version}. ` +
      "Run `npm ci` (it brings the right one along, as an optional dependency), or install it from https://nodejs.org."
  )
  process.exitCode = 1
}
