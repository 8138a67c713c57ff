import * as fs from "node:fs"

const manifest: unknown = JSON.parse(
  fs.readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
)

/** The version of Peyk. */
export const version = String(Object(manifest).version)
