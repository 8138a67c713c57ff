import { generateKeyPairSync } from "node:crypto"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { firstUser, PASSWORD, type User } from "../../contract/Manager.ts"
import { desktop, type Look } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"
import { problemsOf, type Tab } from "./kit/Tab.ts"
import { type SecureServer, startSecureServer } from "./kit/TlsFront.ts"

const phone: Look = { device: "phone", theme: "dark", language: "fa", scripts: true }

const SECURITY = "/console/settings/security"
const RECOVERY_CODE = /^[a-z2-7]{5}(-[a-z2-7]{5}){3}-[a-z2-7]{6}$/

/** A device that makes and uses passkeys, and asks its person for nothing. It is gone after a look of axe at the page. */
const addDevice = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable")
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  const stored = async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials
  return {
    stored,
    /** Its only passkey. */
    only: async () => {
      const [credential, ...others] = await stored()
      if (credential === undefined || others.length > 0) throw new Error("the device has not one passkey")
      return credential
    },
    /** From now on it has this one only. */
    replace: async (credential: Awaited<ReturnType<typeof stored>>[number]) => {
      await session.send("WebAuthn.clearCredentials", { authenticatorId })
      await session.send("WebAuthn.addCredential", { authenticatorId, credential })
    }
  }
}

const otherKey = () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")
}

const givePassword = async (page: Page, { email }: User) => {
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

const makePasskey = async (page: Page, name: string) => {
  await page.getByRole("link", { name: "Add a passkey" }).click()
  await page.getByRole("textbox", { name: "Name" }).fill(name)
  await page.getByRole("button", { name: "Create the passkey" }).click()
}

/** Adds the first passkey, whose page shows recovery codes. */
const enrol = async (page: Page, name: string) => {
  await makePasskey(page, name)
  await page.getByRole("heading", { level: 1, name: "Recovery codes" }).waitFor()
  const text = await page.getByRole("main").innerText()
  expect(text.split(/\s+/).filter((word) => RECOVERY_CODE.test(word))).toHaveLength(10)
  await page.getByRole("link", { name: "Done" }).click()
  await page.waitForURL(`**${SECURITY}`)
}

const usePasskey = (page: Page) => page.getByRole("button", { name: "Use a passkey" }).click()

describeInBrowser("passkeys in a browser", ({ withinAt }) => {
  let secure: SecureServer
  beforeAll(async () => {
    secure = await startSecureServer()
  })
  afterAll(() => secure?.stop())

  const newUser = () => firstUser(secure.server, String(secure.server.demo.customer_id), "owner")

  const within = (use: (tab: Tab & { readonly signIn: (user: User) => Promise<void> }) => Promise<void>) =>
    withinAt(secure.url, desktop, undefined, (tab) => {
      const signIn = async (user: User) => {
        await tab.open(`/console/sign-in?next=${encodeURIComponent(SECURITY)}`)
        await givePassword(tab.page, user)
      }
      return use({ ...tab, signIn })
    })

  it("sign their user in after the password", async () => {
    const user = await newUser()
    await within(async ({ page, open, signIn }) => {
      const device = await addDevice(page)
      await signIn(user)
      await page.waitForURL(`**${SECURITY}`)
      await enrol(page, "Work laptop")
      const row = page.getByRole("row", { name: "Work laptop" })
      expect(await row.innerText()).toContain("Never")

      await page.getByRole("button", { name: "Sign out", exact: true }).click()
      await page.waitForURL("**/console/sign-in")
      await signIn(user)
      await page.getByRole("heading", { level: 1, name: "Second step" }).waitFor()
      // half a sign-in opens nothing
      await open(SECURITY)
      expect(new URL(page.url()).pathname).toBe("/console/sign-in")
      await open(`/console/sign-in/second?next=${encodeURIComponent(SECURITY)}`)
      await usePasskey(page)
      await page.waitForURL(`**${SECURITY}`)
      expect(await row.innerText()).not.toContain("Never")
      expect((await device.only()).signCount).toBeGreaterThan(1)
    })
  })

  it("are added once for each device, which the page says, and by two devices", async () => {
    const user = await newUser()
    await within(async ({ page, open, signIn }) => {
      const device = await addDevice(page)
      await signIn(user)
      await page.waitForURL(`**${SECURITY}`)
      await enrol(page, "Work laptop")
      await makePasskey(page, "Again")
      const problem = page.getByRole("alert")
      await problem.waitFor()
      expect(await problem.innerText()).toContain("This device already has a passkey of yours.")
      await device.replace({
        ...(await device.only()),
        credentialId: Buffer.from("another").toString("base64")
      })
      await page.getByRole("button", { name: "Create the passkey" }).click()
      await page.waitForURL(`**${SECURITY}?**`)
      expect(await page.getByRole("row", { name: "Again" }).count()).toBe(1)
      await open("/console/audit")
      expect(await page.getByRole("main").innerText()).toContain("Work laptop")
    })
  })

  it("are refused with another key, as a copy whose counter is behind, and of somebody else", async () => {
    const [user, other] = [await newUser(), await newUser()]
    await within(async (tab) => {
      const { page, open, signIn } = tab
      const device = await addDevice(page)
      await signIn(other)
      await page.waitForURL(`**${SECURITY}`)
      await enrol(page, "Of somebody else")
      const theirs = await device.only()
      await page.getByRole("button", { name: "Sign out", exact: true }).click()
      await page.waitForURL("**/console/sign-in")
      await device.replace({ ...theirs, rpId: "other.localhost" })
      await signIn(user)
      await page.waitForURL(`**${SECURITY}`)
      await enrol(page, "Mine")
      const mine = (await device.stored()).find(({ rpId }) => rpId === theirs.rpId)
      if (mine === undefined) throw new Error("no passkey was made")
      await page.getByRole("button", { name: "Sign out", exact: true }).click()
      await page.waitForURL("**/console/sign-in")

      await signIn(user)
      const refused = async (left: number) => {
        await usePasskey(page)
        await page.getByText(`The passkey was not accepted. Tries left: ${left}.`).waitFor()
      }
      await device.replace({ ...mine, privateKey: otherKey(), signCount: 50 })
      await refused(4)
      await device.replace({ ...mine, signCount: 0 })
      await refused(3)
      await device.replace({ ...theirs, signCount: 50 })
      const ids = [mine, theirs].map(({ credentialId }) =>
        Buffer.from(credentialId, "base64").toString("base64url")
      )
      // the words of the refusal are there before the form below them
      await page.locator("form[data-passkey]").evaluate((form, [mine = "", theirs = ""]) => {
        form.dataset["options"] = form.dataset["options"]?.replace(mine, theirs)
      }, ids)
      await refused(2)
      // the browser itself prints the status of each
      const statuses = (await problemsOf(tab, 3)).map((each) => /status of (\d+)/.exec(each)?.[1])
      expect(statuses).toEqual(["401", "401", "401"])
      // another device has none that was asked for
      await usePasskey(page)
      await page.getByText("The passkey was not used.").waitFor()
      await device.replace({ ...mine, signCount: 50 })
      await usePasskey(page)
      await page.waitForURL(`**${SECURITY}`)
      await open("/console/overview")
      expect(new URL(page.url()).pathname).toBe("/console/overview")
    })
  })

  it("sign nobody in once they are removed, not even in a sign-in that had begun", async () => {
    const user = await newUser()
    await within(async (first) => {
      const device = await addDevice(first.page)
      await first.signIn(user)
      await first.page.waitForURL(`**${SECURITY}`)
      await enrol(first.page, "Lost phone")
      const lost = await device.only()
      await within(async (second) => {
        const { page, signIn } = second
        const found = await addDevice(page)
        await found.replace({ ...lost, signCount: 50 })
        await signIn(user)
        await page.getByRole("button", { name: "Use a passkey" }).waitFor()
        await first.page.getByRole("row", { name: "Lost phone" }).getByText("Remove", { exact: true }).click()
        await first.page.getByRole("button", { name: "Remove the passkey" }).click()
        await first.page.getByText("Lost phone").waitFor({ state: "detached" })
        await usePasskey(page)
        await page.getByText("Tries left: 4").waitFor()
        expect(await problemsOf(second, 1)).toEqual([expect.stringContaining("401")])
        expect(await page.getByRole("button", { name: "Use a passkey" }).count()).toBe(0)
      })
    })
  })

  it("cannot be added where the browser has none, and its page says what to do", async () => {
    const user = await newUser()
    await within(async ({ page, open, signIn, barriers }) => {
      await page.addInitScript("delete window.PublicKeyCredential")
      await signIn(user)
      await page.waitForURL(`**${SECURITY}`)
      await open(`${SECURITY}/passkey`)
      expect(await page.getByRole("main").innerText()).toContain("This browser has no passkeys.")
      expect(await page.getByRole("button", { name: "Create the passkey" }).count()).toBe(0)
      expect(await barriers()).toEqual([])
    })
  })

  it("are not offered without scripts, which leaves the codes", async () => {
    const user = await newUser()
    await within(async ({ page, signIn }) => {
      await addDevice(page)
      await signIn(user)
      await page.waitForURL(`**${SECURITY}`)
      await enrol(page, "Work laptop")
    })
    const withoutScripts = { ...desktop, scripts: false }
    await withinAt(secure.url, withoutScripts, undefined, async ({ page, open }) => {
      await open("/console/sign-in")
      await givePassword(page, user)
      await page.getByLabel("Recovery code").waitFor()
      expect(await page.getByRole("button", { name: "Use a passkey" }).count()).toBe(0)
      expect(await page.getByRole("button", { name: "Go on" }).count()).toBe(1)
    })
  })

  it.each([desktop, phone])(
    "have pages that everybody can read: $device, $theme, $language",
    async (look) => {
      const user = await newUser()
      await withinAt(secure.url, look, undefined, async ({ page, open, barriers, overflow }) => {
        const expectReadable = async (path: string) => {
          await open(path)
          expect(await barriers(), path).toEqual([])
          expect(await overflow(), path).toBeLessThanOrEqual(0)
        }
        await addDevice(page)
        await open(`/console/sign-in?lang=en&next=${encodeURIComponent(SECURITY)}`)
        await givePassword(page, user)
        await page.waitForURL(`**${SECURITY}`)
        await enrol(page, "A laptop with a rather long name, of somebody with many of them")
        await expectReadable(`${SECURITY}?lang=${look.language}`)
        await expectReadable(`${SECURITY}/passkey`)
        await page.context().clearCookies()
        await open("/console/sign-in?lang=en")
        await givePassword(page, user)
        await page.waitForURL("**/console/sign-in/second")
        await expectReadable(`/console/sign-in/second?lang=${look.language}`)
      })
    }
  )
})
