import { type Browser, chromium } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject } from "vitest"
import { type Commands, commandsWith, type Demo } from "../../../contract/Server.ts"
import { NO_BROWSER } from "./Chromium.ts"
import type { Look } from "./Looks.ts"
import { newTab, type Tab } from "./Tab.ts"
import type { Visitor } from "../../Visitor.ts"

/** The shared parts of the run's browser tests. */
export interface Shared {
  readonly browser: string
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly demo: Demo
}

declare module "vitest" {
  interface ProvidedContext {
    /** Null where no browser was found. */
    readonly inBrowser: Shared | null
  }
}

export interface Stage extends Commands {
  readonly url: string
  readonly demo: Demo
  /** Opens a window, and uses it; nothing may have gone wrong in it by the end. */
  readonly within: (
    look: Look,
    visitor: Pick<Visitor, "cookies"> | undefined,
    use: (tab: Tab) => Promise<void>
  ) => Promise<void>
}

const makeStage = ({ url, env, demo }: Shared, browser: () => Browser): Stage => ({
  url,
  demo,
  ...commandsWith(env),
  within: async (look, visitor, use) => {
    const tab = await newTab(browser(), url, look, visitor)
    try {
      await use(tab)
      expect(tab.problems()).toEqual([])
    } finally {
      await tab.close()
    }
  }
})

/** Tests that need a browser. Where there is none they are skipped, and the run says so. */
export const describeInBrowser = (name: string, define: (stage: Stage) => void): void => {
  const shared = inject("inBrowser")
  if (shared === null) {
    describe.skip(`${name} (${NO_BROWSER})`, () => {})
    return
  }
  describe(name, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      browser = await chromium.connect(shared.browser)
    })
    afterAll(() => browser?.close())
    define(makeStage(shared, () => {
      if (browser === undefined) throw new Error("the browser is not there yet")
      return browser
    }))
  })
}
