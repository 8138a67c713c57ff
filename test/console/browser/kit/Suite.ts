import { type Browser, chromium } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject } from "vitest"
import { type Commands, commandsWith, type Demo } from "../../../contract/Server.ts"
import { NO_BROWSER } from "./Chromium.ts"
import { makeTabs, type Tabs, type Within } from "./Tab.ts"

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

/** In what is used of its windows nothing may have gone wrong by the end. */
export interface Stage extends Commands, Tabs {
  readonly url: string
  readonly demo: Demo
  /** Lends a new window for another server than that of the run. */
  readonly withinAt: (url: string, ...args: Parameters<Within>) => Promise<void>
  readonly dataDir: string
}

const withoutProblems =
  (within: Within): Within =>
  (look, visitor, use) =>
    within(look, visitor, async (tab) => {
      await use(tab)
      expect(tab.problems()).toEqual([])
    })

const makeStage = ({ url, env, demo }: Shared, browser: () => Browser): Stage => {
  const { within, withinNew } = makeTabs(browser, url)
  return {
    url,
    demo,
    dataDir: env["PEYK_DATA_DIR"] ?? "",
    ...commandsWith(env),
    within: withoutProblems(within),
    withinNew: withoutProblems(withinNew),
    withinAt: (at, ...args) => withoutProblems(makeTabs(browser, at).withinNew)(...args)
  }
}

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
