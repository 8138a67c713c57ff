/** Writes the pages of the repository as the generator takes them: its content is made anew for each build. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { examplesOf, prepared, preparedFile } from "./lib/Documents.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const content = fileURLToPath(new URL("src/content/docs/", import.meta.url))

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** The documents of the repository. */
export const sources: ReadonlyArray<string> = [
  "README.md",
  ...globSync("docs/**/*.md", { cwd: root }).map((file) => file.replaceAll("\\", "/"))
].toSorted()

export const readSource = (file: string): string => readFileSync(join(root, file), "utf8")

export const prepare = (): void => {
  rmSync(content, { recursive: true, force: true })
  const examples = examplesOf(sources.map(readSource))
  for (const file of sources)
    write(join(content, preparedFile(file)), prepared(file, readSource(file), examples))
  for (const picture of globSync("docs/**/*.png", { cwd: root })) {
    const target = join(content, picture.replace(/^docs./, ""))
    mkdirSync(dirname(target), { recursive: true })
    cpSync(join(root, picture), target)
  }
}
