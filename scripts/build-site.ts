/** `npm run site`: makes build/site, static pages from README.md and docs/, with a search that needs no server. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeSite } from "./Site.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const target = join(root, "build/site")

const sources = ["README.md", ...globSync("docs/**/*.md", { cwd: root })].toSorted()
const read = (file: string): string => readFileSync(join(root, file), "utf8")

rmSync(target, { recursive: true, force: true })
const files = makeSite(sources.map((file) => ({ file, markdown: read(file) })))
for (const [file, text] of files) {
  mkdirSync(dirname(join(target, file)), { recursive: true })
  writeFileSync(join(target, file), text)
}
for (const picture of globSync("docs/**/*.png", { cwd: root }))
  cpSync(join(root, picture), join(target, picture.replace(/^docs\//, "")))
console.log(`build/site has ${files.size} files: open build/site/index.html over a web server`)
