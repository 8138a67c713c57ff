/** Compiles the client to packages/client/dist: plain ES modules and their types. */
import { execFileSync } from "node:child_process"
import { copyFileSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { writeClientTypes } from "./ClientFiles.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = `${root}packages/client/`

writeClientTypes()
rmSync(`${folder}dist`, { recursive: true, force: true })
execFileSync(`${root}node_modules/.bin/tsc`, ["-p", folder], { stdio: "inherit" })
copyFileSync(`${root}LICENSE`, `${folder}LICENSE`)
