/** What each page of the site must be like. */
import { expect, it } from "vitest"
import type { Look } from "../../console/browser/kit/Looks.ts"
import { describeInBrowser, type Stage } from "../../console/browser/kit/Suite.ts"
import { hasSite } from "../../support/BuiltSite.ts"

export const describeSite = (name: string, define: (stage: Stage) => void): void =>
  describeInBrowser(name, (stage) => {
    if (hasSite) define(stage)
    else it.skip("the site is not built: npm --prefix site ci", () => {})
  })

export const pathIn = ({ language }: Look, page: string): string =>
  `/docs/${language === "fa" ? "fa/" : ""}${page}`

/** A page that does not exist says so in the console of a browser. */
export const withoutMissing = (problems: ReadonlyArray<string>) =>
  problems.filter((problem) => !problem.includes("404 (Not Found)"))

/** The policy refuses nothing, no other host is asked, nothing is wider than the window, and axe finds nothing. */
export const expectGood = (stage: Stage, look: Look, pages: ReadonlyArray<string>): Promise<void> =>
  stage.within(look, undefined, async (tab) => {
    for (const page of pages) {
      await tab.open(pathIn(look, page))
      expect(withoutMissing(tab.problems()), page).toEqual([])
      expect(await tab.overflow(), page).toBeLessThanOrEqual(0)
      expect(await tab.barriers(), page).toEqual([])
    }
  })
