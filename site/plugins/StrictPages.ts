/** After the build: pages without anything inline, and the files that this makes. */
import type { AstroIntegration } from "astro"
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeStrict } from "../lib/Strict.ts"

/** Pagefind's own pages, of which the search of the site uses none. */
const UNUSED = /^pagefind-(?:ui|modular-ui|component-ui|highlight)\./

export const strict = (): AstroIntegration => ({
  name: "peyk-strict",
  hooks: {
    "astro:build:done": ({ dir }) => {
      const folder = fileURLToPath(dir)
      const { page, files, hashOf } = makeStrict()
      const pages = globSync("**/*.html", { cwd: folder }).map(
        (file) => [join(folder, file), page(readFileSync(join(folder, file), "utf8"))] as const
      )
      const { css, scripts } = files()
      const styles = `inline.${hashOf(css)}.css`
      for (const [file, html] of pages) writeFileSync(file, html.replace("inline.STYLES.css", styles))
      writeFileSync(join(folder, "_astro", styles), css)
      for (const file of readdirSync(join(folder, "pagefind")).filter((name) => UNUSED.test(name)))
        rmSync(join(folder, "pagefind", file))
      for (const [name, code] of scripts) writeFileSync(join(folder, "_astro", name), code)
    }
  }
})
