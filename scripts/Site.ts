// @effect-diagnostics processEnv:off
/** Builds the documentation: `build/site`, which a running server serves at /docs. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const site = join(root, "site")
const target = join(root, "build/site")
const stampFile = join(root, "build/site.stamp")

/** The generator's packages are not those of Peyk: `npm ci` of the root does not install them. */
export const isInstalled = (): boolean => existsSync(join(site, "node_modules/astro/package.json"))

export const install = (): void => {
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: site, stdio: "inherit" })
}

const inputs = (): ReadonlyArray<string> =>
  globSync(
    [
      "README.md",
      "docs/**/*",
      "site/*.*",
      "site/{lib,plugins,public}/**/*",
      "site/src/**/*",
      "scripts/Site.ts"
    ],
    { cwd: root, exclude: ["site/src/content/**"] }
  ).toSorted()

/** Changes if anything does that the site is made of. */
const stampOf = (): string => {
  const hash = createHash("sha256")
  for (const file of inputs()) {
    const path = join(root, file)
    if (existsSync(path) && /\.\w+$/.test(file)) hash.update(file).update(readFileSync(path))
  }
  return hash.digest("hex")
}

const isUpToDate = (stamp: string): boolean =>
  existsSync(join(target, "index.html")) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp

/** Builds the site unless it is there already. A server sees the old one whole, or the new one. */
export const buildSite = (): string => {
  const stamp = stampOf()
  if (isUpToDate(stamp)) return target
  if (!isInstalled()) install()
  const draft = join(root, `build/site-${process.pid}`)
  const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter)
  try {
    // what was rendered before is kept otherwise, though the plugins have changed
    execFileSync(
      process.execPath,
      [join(site, "node_modules/astro/bin/astro.mjs"), "build", "--force", "--outDir", draft],
      {
        cwd: site,
        env: { ...process.env, PATH: path, ASTRO_TELEMETRY_DISABLED: "1", NODE_OPTIONS: "" },
        stdio: ["ignore", "pipe", "inherit"]
      }
    )
    rmSync(target, { recursive: true, force: true })
    renameSync(draft, target)
    writeFileSync(stampFile, stamp)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return target
}
