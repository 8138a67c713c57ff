/** `npm run translated -- docs/fa/limits.md`: says in these pages that they were compared with the English ones of today. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { translations } from "./Translations.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const pages = process.argv.slice(2)
if (pages.length === 0) throw new Error("name the pages that you have compared, such as docs/fa/limits.md")

for (const { page, stamp, current } of translations().filter(({ page }) => pages.includes(page))) {
  const text = readFileSync(`${root}${page}`, "utf8")
  const stamped = stamp === undefined ? `${text.trimEnd()}\n\n${current}\n` : text.replace(stamp, current)
  writeFileSync(`${root}${page}`, stamped)
  console.log(current)
}
