import * as path from "node:path"
import { layOutSql } from "./SqlLayout.ts"

export const GOLDEN_FOLDER = path.join(import.meta.dirname, "sql")
export const APART_FOLDER = path.join(GOLDEN_FOLDER, "apart")

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

/** The same of the statements that take its place where cells are on other nodes. */
export const apartFile = (
  { about }: { readonly about: string },
  statements: ReadonlyArray<{ readonly text: string }>
): string =>
  `${comment(about)}\n-- Where cells are on other nodes, these take its place; \`npm run golden\` writes this file.\n\n${statements
    .map(({ text }) => layOutSql(text))
    .join(";\n\n")}\n`
