/** `npm run site`: installs the generator, and makes build/site from README.md and docs/. */
import { buildSite, install, isInstalled } from "./Site.ts"

if (!isInstalled()) install()
console.log(`${buildSite()} is served at /docs by each server that starts from now on`)
