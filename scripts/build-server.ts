/** Makes build/peyk: the server as an npm package, in few files, with what it needs at run time and nothing else. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle, packagesOf } from "./Bundle.ts"
import { licensesOf } from "./Licenses.ts"
import { keepOnlyLines } from "./LineMaps.ts"
import { buildSite } from "./Site.ts"
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
const kept = ["name", "version", "description", "keywords", "license", "type", "bin", "optionalDependencies"]

/** What is not part of `dist`: a program that uses the client has its own effect, and browsers get uPlot's files. */
const installed = ["effect", "uplot"]

const published = {
  ...Object.fromEntries(kept.map((field) => [field, manifest[field]])),
  dependencies: Object.fromEntries(installed.map((name) => [name, manifest.dependencies[name]])),
  exports: {
    "./client": { types: "./dist/client.d.ts", default: "./dist/client.js" },
    "./package.json": "./package.json"
  },
  files: [
    "bin",
    "build/site",
    "dist",
    "docs",
    "openapi.json",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "LICENSES.md"
  ]
}

const copy = (file: string, to = file) => {
  mkdirSync(dirname(`${target}${to}`), { recursive: true })
  cpSync(`${root}${file}`, `${target}${to}`, { recursive: true })
}

rmSync(target, { recursive: true, force: true })
execFileSync(`${root}node_modules/.bin/tsc`, ["-p", `${root}tsconfig.build.json`], { stdio: "inherit" })

/** What a source file reads stands in `dist` where it stands in `src`. */
const urlInPackage = (file: string): string => {
  const place = relative(`${root}src`, file).replaceAll("\\", "/")
  return `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`
}
const { modules, files } = await bundle({
  input: { main: `${root}src/main.ts` },
  target: `${target}dist`,
  urlOf: urlInPackage,
  hasMaps: true
})
for (const file of files.filter((each) => each.endsWith(".map"))) keepOnlyLines(`${target}dist/${file}`)
// A program that uses the client has the effect that is installed next to it.
await bundle({
  input: { client: `${root}src/client.ts` },
  target: `${target}dist`,
  urlOf: urlInPackage,
  external: Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`))
})
for (const asset of globSync("src/**/*.{css,js,html,svg,sql,woff2,txt}", { cwd: root }))
  copy(asset, asset.replace(/^src/, "dist"))
for (const file of [
  "bin/peyk.js",
  "bin/server-options.js",
  "docs",
  "openapi.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE"
])
  copy(file)
// where the server looks for it, as in a clone
cpSync(buildSite(), `${target}build/site`, { recursive: true })
for (const page of ["README.md", "CHANGELOG.md", ...globSync("docs/**/*.md", { cwd: target })]) {
  const text = readFileSync(`${target}${page}`, "utf8")
  writeFileSync(
    `${target}${page}`,
    withoutMissingLinks(page, text, (path) => existsSync(`${target}${path}`))
  )
}
writeFileSync(`${target}package.json`, `${JSON.stringify(published, null, 2)}\n`)
/** The documentation contains them; its generator installs them. */
const fonts = ["inter", "vazirmatn"].map((font) => `${root}site/node_modules/@fontsource-variable/${font}`)
writeFileSync(
  `${target}LICENSES.md`,
  licensesOf(root, { ...manifest.dependencies, ...manifest.optionalDependencies }, [
    ...packagesOf(modules),
    ...fonts
  ])
)
