/** After the build: pages without anything inline, the files that this makes, and what the search knows. */
import type { AstroIntegration } from "astro"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { BASE, slugOf } from "../lib/Documents.ts"
import { partsOf } from "../lib/SearchParts.ts"
import { makeStrict } from "../lib/Strict.ts"
import { readSource, sources } from "../prepare.ts"

/** What the search knows, by language. */
const searchOf = (language: "en" | "fa") =>
  sources
    .filter((file) => file.startsWith("docs/fa/") === (language === "fa"))
    .flatMap((file) => partsOf(`${BASE}${slugOf(file)}/`, readSource(file)))

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
      for (const language of ["en", "fa"] as const)
        writeFileSync(join(folder, `search-${language}.json`), JSON.stringify(searchOf(language)))
      for (const [name, code] of scripts) writeFileSync(join(folder, "_astro", name), code)
    }
  }
})
