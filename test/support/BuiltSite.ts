/** The documentation as the servers of tests serve it. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { buildSite, isInstalled } from "../../scripts/Site.ts"
import { needed } from "./Needed.ts"

const NO_SITE = "the generator is not installed: npm --prefix site ci"

/** Tests are skipped without it, and fail in CI. */
export const hasGenerator = (): boolean => needed(isInstalled(), NO_SITE)

/** Builds it before servers start, unless it is there as it would be. Its generator is not part of `npm ci`. */
export const prepareSite = (): void => {
  if (hasGenerator()) buildSite()
  else console.warn(`\nThe tests of the documentation's site are SKIPPED: ${NO_SITE}.\n`)
}

const folder = new URL("../../build/site/", import.meta.url)

export const siteFolder = fileURLToPath(folder)
export const hasSite = hasGenerator() && existsSync(new URL("index.html", folder))
