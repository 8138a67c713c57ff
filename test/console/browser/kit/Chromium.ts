// @effect-diagnostics processEnv:off
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"
import { type BrowserServer, chromium } from "playwright-core"
import { needed } from "../../../support/Needed.ts"

/**
 * Chromium's engine without the windows of a browser around it: a new window takes a fifth of the processor time, and a
 * page less than half. This is the file of Debian's package; the script of that name in PATH would be one process more.
 */
const headlessShell = "/usr/lib/chromium/chromium-headless-shell"

/** Chrome and Edge are Chromium too. */
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"]

const elsewhere = [
  "/usr/lib/chromium/chromium",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe"
]

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Where a browser is that the tests can drive; undefined where none is found, which is an error in CI. */
export const findChromium = (): string | undefined => {
  const inPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "")
  const browsers = [...inPath.flatMap((folder) => names.map((name) => join(folder, name))), ...elsewhere]
  const candidates = [headlessShell, ...browsers]
  const found = candidates.find(isProgram)
  needed(found !== undefined, NO_BROWSER)
  return found
}

/** The note that tests print without a browser. */
export const NO_BROWSER = `no Chromium or Chrome was found in PATH or in ${elsewhere.length} usual places`

/** Each start has a new profile, and asks nobody for anything. */
const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

export const startChromium = (executablePath: string): Promise<BrowserServer> =>
  chromium.launchServer({ executablePath, args, headless: true, host: "127.0.0.1" })
