import type { TestProject } from "vitest/node"
import { prepareStore } from "../../contract/PreparedStore.ts"
import { startServer } from "../../contract/Server.ts"
import { findChromium, NO_BROWSER, startChromium } from "./kit/Chromium.ts"
import { prepareSite } from "../../support/BuiltSite.ts"
import "./kit/Suite.ts"

/** One browser and one server for all browser tests of the run. */
export default async (project: TestProject) => {
  const executable = findChromium()
  if (executable === undefined) {
    console.warn(`\nThe tests of the console in a browser are SKIPPED: ${NO_BROWSER}.\n`)
    project.provide("inBrowser", null)
    return () => {}
  }
  prepareSite()
  await prepareStore()
  const server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true" } })
  const browser = await startChromium(executable)
  project.provide("inBrowser", {
    browser: browser.wsEndpoint(),
    url: server.url,
    env: server.env,
    demo: server.demo
  })
  return async () => {
    await browser.close()
    await server.stop()
  }
}
