import * as path from "node:path"
import { layOutSql } from "./SqlLayout.ts"

export const GOLDEN_FOLDER = path.join(import.meta.dirname, "sql")

const comment = (about: string): string =>
  about
    .split("\n")
    .map((line) => `-- ${line}`)
    .join("\n")

/** The file of a statement: what it does, and its text. */
export const goldenFile = (
  { about }: { readonly about: string },
  { text }: { readonly text: string }
): string =>
  `${comment(about)}\n-- The code makes this statement; \`npm run golden\` writes this file.\n\n${layOutSql(text)}\n`
