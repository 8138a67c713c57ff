/** Which English page each Persian page translates, and whether that has changed since. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = "docs/fa"

const named: Readonly<Record<string, string>> = {
  "README.md": "README.md",
  "quickstart.md": "docs/quickstarts.md"
}

const STAMP = /<!-- translates \S+ as of [0-9a-f]+ -->/

export interface Translation {
  readonly page: string
  readonly english: string
  /** The line in the page that says which English text it was compared with; undefined: it has none. */
  readonly stamp: string | undefined
  /** The line that it has when it is up to date. */
  readonly current: string
}

const read = (file: string): string => readFileSync(`${root}${file}`, "utf8")

export const translations = (): ReadonlyArray<Translation> =>
  readdirSync(`${root}${folder}`)
    .filter((file) => file.endsWith(".md"))
    .toSorted()
    .map((file) => {
      const english = named[file] ?? `docs/${file}`
      const hash = createHash("sha256").update(read(english)).digest("hex").slice(0, 12)
      const page = `${folder}/${file}`
      const [stamp] = STAMP.exec(read(page)) ?? []
      return { page, english, stamp, current: `<!-- translates ${english} as of ${hash} -->` }
    })
