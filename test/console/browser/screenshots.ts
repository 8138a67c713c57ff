/**
 * `npm run screenshots`: makes the pictures in docs/console again, from a new server with a demo customer.
 * `npm run screenshots -- FOLDER [PART]`: pictures of every page in every look, for review; PART is of a page's path.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { startServer } from "../../contract/Server.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { someActivity } from "./kit/Activity.ts"
import { findChromium, NO_BROWSER, startChromium } from "./kit/Chromium.ts"
import { desktop, type Look, looks } from "./kit/Looks.ts"
import { pagesOf } from "./kit/Pages.ts"
import { makeTabs, type Tabs } from "./kit/Tab.ts"

interface Picture {
  readonly name: string
  readonly path: string
  readonly look: Look
}

/** The documentation's. */
const kept: ReadonlyArray<Picture> = [
  { name: "overview", path: "/console/overview", look: desktop },
  { name: "overview-fa-dark", path: "/console/overview", look: { ...desktop, language: "fa", theme: "dark" } }
]

const MAX_BYTES = 150_000

const shortName = ({ device, theme, language, scripts }: Look): string =>
  [device, theme, language, ...(scripts ? [] : ["plain"])].join("-")

const everything = (paths: ReadonlyArray<string>): ReadonlyArray<Picture> =>
  paths.flatMap((path) =>
    looks.map((look) => ({
      name: `${path.replace("/console/", "").replaceAll("/", "_")}-${shortName(look)}`,
      path,
      look
    }))
  )

const take = ({ within }: Tabs, owner: Visitor, folder: string, picture: Picture, isFull: boolean) =>
  within(picture.look, owner, async (tab) => {
    await tab.open(picture.path)
    if (picture.look.scripts && (await tab.page.locator("[data-chart]").count()) > 0) {
      await tab.page.locator("[data-chart] canvas").first().waitFor()
      await tab.page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
      )
    }
    const bytes = await tab.page.screenshot({ fullPage: isFull })
    if (!isFull && bytes.length > MAX_BYTES) throw new Error(`${picture.name} has ${bytes.length} bytes`)
    await writeFile(join(folder, `${picture.name}.png`), bytes)
    console.log(`${picture.name} (${Math.round(bytes.length / 1000)} kB)`)
  })

const [folder, part = ""] = process.argv.slice(2)
const executable = findChromium()
if (executable === undefined) throw new Error(NO_BROWSER)
const server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true" } })
const chromiumServer = await startChromium(executable)
try {
  const browser = await chromium.connect(chromiumServer.wsEndpoint())
  const receiver = await someActivity(server)
  const owner = await signedIn(server, server.demo.customer_id, "owner")
  const target = folder ?? join(import.meta.dirname, "../../../docs/console")
  await mkdir(target, { recursive: true })
  const pictures =
    folder === undefined ? kept : everything(await pagesOf(owner)).filter(({ path }) => path.includes(part))
  receiver.close()
  const tabs = makeTabs(() => browser, server.url)
  for (const picture of pictures) await take(tabs, owner, target, picture, folder !== undefined)
} finally {
  await chromiumServer.close()
  await server.stop()
}
