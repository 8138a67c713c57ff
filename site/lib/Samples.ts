/** The samples of the first page: those of the quickstarts, which tests run. */
import { readFileSync } from "node:fs"
import { createCssVariablesTheme } from "shiki"
import { tabsIn } from "./Documents.ts"

/** Its colours are variables, for which classes are put. */
export const shikiTheme = createCssVariablesTheme({ name: "peyk", variablePrefix: "--t-", fontStyle: false })

export const firstTabs = () => {
  const text = readFileSync(new URL(`file://${process.cwd()}/../docs/quickstarts.md`), "utf8")
  return tabsIn(text)[0] ?? []
}
