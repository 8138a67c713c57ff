// @effect-diagnostics globalDate:off
/**
 * `npm run release -- 0.2.0`: sets the version everywhere, and dates the CHANGELOG. It changes files only: look at them,
 * commit, and push the tag that it prints. The publish workflow does the rest.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { dateChangelog, isNewer, setVersion, versionedFiles } from "./Versions.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const [version = ""] = process.argv.slice(2)
const { version: current } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  readonly version: string
}

if (version !== current && !isNewer(version, current)) {
  console.error(`usage: npm run release -- VERSION, such as 1.2.3, not before ${current}`)
  process.exit(1)
}

const [today = ""] = new Date().toISOString().split("T")
const change = (file: string, edit: (text: string) => string) =>
  writeFileSync(`${root}${file}`, edit(readFileSync(`${root}${file}`, "utf8")))

for (const file of versionedFiles) change(file, (text) => setVersion(file, text, current, version))
change("CHANGELOG.md", (text) => dateChangelog(text, version, today))
execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: root, stdio: "inherit" })
execFileSync("npm", ["run", "openapi"], { cwd: root, stdio: "inherit" })
console.log(`Look at the changes, then: git commit -am "release: ${version}" && git tag v${version}`)
