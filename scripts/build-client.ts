/** Compiles the client to packages/client/dist: plain ES modules and their types. */
import { execFileSync } from "node:child_process"
import { copyFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { writeClientTypes } from "./ClientFiles.ts"
import { bundleLogin } from "./LoginBundle.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = `${root}packages/client/`

writeClientTypes()
rmSync(`${folder}dist`, { recursive: true, force: true })
execFileSync(`${root}node_modules/.bin/tsc`, ["-p", folder], { stdio: "inherit" })
writeFileSync(`${folder}dist/login.js`, await bundleLogin())
copyFileSync(`${root}LICENSE`, `${folder}LICENSE`)
