import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, BrowserContext, Page, Request } from "playwright-core"
import { expect } from "vitest"
import type { Visitor } from "../../Visitor.ts"
import { type Look, nameOf, optionsOf } from "./Looks.ts"

/** A third of what the package's `source` has, and it is parsed for each page. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** A page in a browser, that notes what a page must not do. */
export interface Tab {
  readonly page: Page
  /** Opens a path of the server. */
  readonly open: (path: string) => Promise<void>
  /** Faults since the last time: refused by the policy, printed as an error, asked of another host. */
  readonly problems: () => ReadonlyArray<string>
  /** The findings of axe on the page; axe needs scripts. */
  readonly barriers: () => Promise<ReadonlyArray<string>>
  /** How many pixels of the page are beyond its right or left edge. */
  readonly overflow: () => Promise<number>
  /** Parts of the page that have the attribute `hidden`, and that its style sheet shows all the same. */
  readonly shownHidden: () => Promise<ReadonlyArray<string>>
  /** The questions before a destructive action that cannot be seen whole when they are opened, by their button. */
  readonly cutOffQuestions: () => Promise<ReadonlyArray<string>>
}

const watch = (page: Page, url: string) => {
  let found: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") found.push(message.text())
  })
  page.on("pageerror", (error) => found.push(String(error)))
  page.on("request", (request: Request) => {
    const isOurs = request.url().startsWith(`${url}/`) || request.url().startsWith("data:")
    if (!isOurs) found.push(`a request to another host: ${request.url()}`)
  })
  return () => {
    const problems = found
    found = []
    return problems
  }
}

/** At least so many problems: the browser prints the status of a page after it shows its words. */
export const problemsOf = async ({ problems }: Pick<Tab, "problems">, count: number) => {
  const found: Array<string> = []
  await expect.poll(() => found.push(...problems())).toBeGreaterThanOrEqual(count)
  return found
}

interface Finding {
  readonly id: string
  readonly help: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

const toLine = ({ id, help, nodes }: Finding): string =>
  `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary ?? ""}`).join("\n")}`

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/** The tab's protocol runs scripts where the page's policy allows none. */
const barriersOn = async (page: Page): Promise<ReadonlyArray<string>> => {
  const session = await page.context().newCDPSession(page)
  const run = async (expression: string) => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      allowUnsafeEvalBlockedByCSP: true
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value as unknown
  }
  await run(`${axe};0`)
  const options = JSON.stringify({ runOnly: tags, resultTypes: ["violations"] })
  const violations = (await run(
    `axe.run(document, ${options}).then((found) => found.violations)`
  )) as Array<Finding>
  await session.detach()
  return violations.map(toLine)
}

/** What is at the corners of an open question: the question, unless it is cut off, covered or out of the window. */
const CUT_OFF_QUESTIONS = `(() => {
  const INSET = 6
  const all = [...document.querySelectorAll("details.confirm")]
  // a card on a phone leaves out what the page of its row has
  const questions = all.filter((question) => question.getClientRects().length > 0)
  const isCutOff = (question) => {
    question.open = true
    question.querySelector("summary").scrollIntoView({ block: "center", inline: "nearest" })
    const panel = question.querySelector(".confirm-panel")
    const { left, right, top, bottom } = panel.getBoundingClientRect()
    const corners = [left + INSET, right - INSET].flatMap((x) => [top + INSET, bottom - INSET].map((y) => [x, y]))
    const isSeen = corners.every(([x, y]) => panel.contains(document.elementFromPoint(x, y)))
    question.open = false
    return !isSeen
  }
  return questions.filter(isCutOff).map((question) => question.querySelector("summary").textContent.trim())
})()`

const SHOWN_HIDDEN = `[...document.querySelectorAll("[hidden]")]
  .filter((part) => getComputedStyle(part).display !== "none")
  .map((part) => part.outerHTML.slice(0, 100))`

/** Gives a browser's context the cookies of somebody who is signed in. */
export const signInAs = ({ cookies }: Pick<Visitor, "cookies">, context: BrowserContext, url: string) =>
  context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })))

const tabOf = (page: Page, url: string): Tab => ({
  page,
  open: async (path) => {
    await page.goto(`${url}${path}`, { waitUntil: "load" })
  },
  problems: watch(page, url),
  barriers: () => barriersOn(page),
  overflow: () =>
    page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
  shownHidden: () => page.evaluate<ReadonlyArray<string>>(SHOWN_HIDDEN),
  cutOffQuestions: () => page.evaluate<ReadonlyArray<string>>(CUT_OFF_QUESTIONS)
})

/** Leaves nothing in a window of what was done in it, but scripts that were added to all its pages. */
const empty = async (page: Page, url: string, look: Look): Promise<void> => {
  page.removeAllListeners()
  const context = page.context()
  await Promise.all(context.pages().map((each) => (each === page ? undefined : each.close())))
  await page.unrouteAll({ behavior: "ignoreErrors" })
  await page.evaluate("sessionStorage.clear()")
  await context.clearCookies()
  await context.clearPermissions()
  const { viewport, colorScheme, reducedMotion } = optionsOf(look)
  await page.emulateMedia({ media: null, forcedColors: null, colorScheme, reducedMotion })
  await page.setViewportSize(viewport)
  await page.goto("about:blank", { timeout: 5000 })
  const session = await context.newCDPSession(page)
  await session.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" })
  await session.send("Page.resetNavigationHistory")
  await session.detach()
}

/** The windows of a browser. */
export interface Tabs {
  /** Lends a window in which nothing was done: a new one takes half a second of a core, so most were used before. */
  readonly within: Within
  /** Lends a new window, for a test that adds scripts to its pages. */
  readonly withinNew: Within
}

export type Within = (
  look: Look,
  visitor: Pick<Visitor, "cookies"> | undefined,
  use: (tab: Tab) => Promise<void>
) => Promise<void>

export const makeTabs = (browser: () => Browser, url: string): Tabs => {
  const unused = new Map<string, Page>()
  // nobody knows the authorities of the tests' certificates
  const newPage = async (look: Look) =>
    (await browser().newContext({ ...optionsOf(look), ignoreHTTPSErrors: true })).newPage()

  const takeUnused = (look: Look) => {
    const page = unused.get(nameOf(look))
    unused.delete(nameOf(look))
    return page
  }

  const useAndClose = async (page: Page, ...[, visitor, use]: Parameters<Within>) => {
    const context = page.context()
    try {
      if (visitor !== undefined) await signInAs(visitor, context, url)
      await use(tabOf(page, url))
    } catch (error) {
      await context.close()
      throw error
    }
  }

  return {
    within: async (look, visitor, use) => {
      const page = takeUnused(look) ?? (await newPage(look))
      await useAndClose(page, look, visitor, use)
      const isAsNew = await empty(page, url, look).then(
        () => true,
        () => false
      )
      if (isAsNew && !unused.has(nameOf(look))) unused.set(nameOf(look), page)
      else await page.context().close()
    },
    withinNew: async (look, visitor, use) => {
      const page = await newPage(look)
      await useAndClose(page, look, visitor, use)
      await page.context().close()
    }
  }
}
