/** What each page of the reference must be like. */
import { expect } from "vitest"
import type { Look } from "./Looks.ts"
import type { Stage } from "./Suite.ts"

const MAX_PHONE_HEIGHT = 40_000

/** The policy refuses nothing, nothing is wider than the window, no page is too long, and axe finds nothing. */
export const expectGoodReference = (
  stage: Stage,
  look: Look,
  pages: ReadonlyArray<string>,
  width?: number
): Promise<void> =>
  stage.within(look, undefined, async (tab) => {
    if (width !== undefined) await tab.page.setViewportSize({ width, height: 1180 })
    for (const page of pages) {
      await tab.open(`/docs/api${page}`)
      expect(tab.problems(), page).toEqual([])
      expect(await tab.overflow(), page).toBeLessThanOrEqual(0)
      const height = await tab.page.evaluate<number>("document.documentElement.scrollHeight")
      expect(height, page).toBeLessThanOrEqual(MAX_PHONE_HEIGHT)
      if (look.scripts) expect(await tab.barriers(), page).toEqual([])
    }
  })
