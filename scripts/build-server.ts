/** Makes build/peyk: the server as an npm package, compiled, with what it needs at run time and nothing else. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { licensesOf } from "./Licenses.ts"
import { withoutMissingLinks } from "./PackagedPages.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const target = `${root}build/peyk/`

interface Manifest {
  readonly [field: string]: unknown
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Manifest

/** What an installation needs to know; scripts and tools stay in the clone. */
const kept = [
  "name",
  "version",
  "description",
  "license",
  "type",
  "bin",
  "dependencies",
  "optionalDependencies"
]

const published = {
  ...Object.fromEntries(kept.map((field) => [field, manifest[field]])),
  keywords: ["otp", "verification", "sms", "2fa", "iran", "eitaa", "bale", "rubika", "telegram"],
  exports: {
    "./client": { types: "./dist/client.d.ts", default: "./dist/client.js" },
    "./package.json": "./package.json"
  },
  files: ["bin", "dist", "docs", "openapi.json", "README.md", "CHANGELOG.md", "LICENSE", "LICENSES.md"]
}

const copy = (file: string, to = file) => {
  mkdirSync(dirname(`${target}${to}`), { recursive: true })
  cpSync(`${root}${file}`, `${target}${to}`, { recursive: true })
}

rmSync(target, { recursive: true, force: true })
execFileSync(`${root}node_modules/.bin/tsc`, ["-p", `${root}tsconfig.build.json`], { stdio: "inherit" })
for (const asset of globSync("src/**/*.{css,js,html,svg,sql}", { cwd: root }))
  copy(asset, asset.replace(/^src/, "dist"))
for (const file of ["bin/peyk.js", "docs", "openapi.json", "README.md", "CHANGELOG.md", "LICENSE"]) copy(file)
for (const page of ["README.md", "CHANGELOG.md", ...globSync("docs/**/*.md", { cwd: target })]) {
  const text = readFileSync(`${target}${page}`, "utf8")
  writeFileSync(
    `${target}${page}`,
    withoutMissingLinks(page, text, (path) => existsSync(`${target}${path}`))
  )
}
writeFileSync(`${target}package.json`, `${JSON.stringify(published, null, 2)}\n`)
writeFileSync(
  `${target}LICENSES.md`,
  licensesOf(root, { ...manifest.dependencies, ...manifest.optionalDependencies })
)
