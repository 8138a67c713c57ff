import { beforeAll, describe, expect, it } from "vitest"
import { newPhone, otp } from "../../contract/Client.ts"
import { newAccount, newCustomer } from "../../contract/Operator.ts"
import { until } from "../../contract/Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { rowsOf, submit } from "../Forms.ts"
import { csrfIn, signedIn, type Visitor } from "../Visitor.ts"

let server: SharedServer
let owner: Visitor
beforeAll(async () => {
  server = await sharedServerWithDemo()
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

describe("the audit log", () => {
  it("lists changes of the console in the user's name, and finds them", async () => {
    await submit(owner, "/console/settings", "/console/settings", {
      name: "Demo",
      brand: "پیک",
      locale: "fa"
    })
    const { text } = await owner.get("/console/audit?what=customer.&by=user")
    expect(text).toContain("changed the settings of")
    expect(text).toContain("brand")
    expect(text).not.toContain("added the user")
    expect((await owner.get("/console/audit?id=nothing-like-that")).text).toContain("No changes")
  })

  it("finds the changes of every kind that it lists", async () => {
    await submit(owner, "/console/guard", "/console/guard", { mode: "record" })
    await submit(owner, "/console/test", "/console/test", {
      mode: "sandbox",
      phone: "09121234567",
      do: "send"
    })
    const found = async (what: string) => (await owner.get(`/console/audit?what=${what}`)).text
    const { text } = await owner.get("/console/audit")
    for (const kind of ["guard", "test", "message", "phone", "verification"])
      expect(text).toContain(`<option value="${kind}."`)
    expect(await found("guard.")).toContain("changed the guard")
    expect(await found("guard.")).not.toContain("sent a sandbox test")
    expect(await found("test.")).toContain("sent a sandbox test")
  })
})

describe("a list in the order of its time", () => {
  const SENDS = 28
  let viewer: Visitor

  beforeAll(async () => {
    const { id, live } = await newCustomer(server, "start")
    await server.cli("wallet", "top-up", "--customer", id, "--amount", "100000")
    await newAccount(server, id, "bale")
    viewer = await signedIn(server, id, "owner")
    const csrf = csrfIn(await viewer.get("/console/wallet"))
    for (let nth = 1; nth <= SENDS; nth++) {
      await otp(server, live).sent({ channels: "bale" })
      const budget = { csrf, amount: String(nth * 1000), calendar: "jalali" }
      expect((await viewer.post("/console/wallet/budget", budget)).status).toBe(303)
    }
  })

  /** What is on a list's page after the words of its table. */
  const partsOf = (text: string) => {
    const rows = rowsOf({ text: text.split(/<table[^>]*role="table"[^>]*>/).at(-1) ?? "" })
    const next = [...text.matchAll(/href="([^"]+)"\s*>\s*Next page/g)][0]?.[1]?.replaceAll("&amp;", "&")
    return { rows: rows.map((row) => row.split("</tr>")[0] ?? ""), next }
  }
  const idOf = (row: string) =>
    /console\/(?:requests|audit)\/([0-9a-f.-]+)"/.exec(row)?.[1] ??
    /console\/verifications\/([0-9a-f-]+)"/.exec(row)?.[1] ??
    "top-up"
  const allRows = async (path: string) => {
    const ids: Array<string> = []
    let next: string | undefined = path
    while (next !== undefined) {
      const page = partsOf((await viewer.get(next)).text)
      ids.push(...page.rows.map(idOf))
      next = page.next
    }
    return ids
  }

  it.each([
    ["requests", "/console/requests?within=today"],
    ["changes", "/console/audit?what=wallet."],
    ["the ledger", "/console/wallet?lang=en"],
    ["codes", "/console/verifications?lang=en"]
  ])("of %s has the oldest first if the address says so, page by page", async (_, path) => {
    const newest = await allRows(path)
    expect(new Set(newest).size).toBe(newest.length)
    expect(newest.length).toBeGreaterThanOrEqual(SENDS)
    expect(await allRows(`${path}&sort=oldest`)).toEqual(newest.toReversed())
  })

  it.each(["requests", "audit", "wallet", "verifications"])(
    "of %s is turned by the head of its time, also without scripts",
    async (name) => {
      const head = ({ text }: { readonly text: string }) =>
        /aria-sort="(\w+)"\s*>\s*<a class="order" href="([^"]+)"/.exec(text)?.slice(1)
      const [order, href = ""] = head(await viewer.get(`/console/${name}?size=50`)) ?? []
      expect(order).toBe("descending")
      expect(href).toBe(`/console/${name}?size=50&amp;sort=oldest`)
      const turned = head(await viewer.get(href.replaceAll("&amp;", "&")))
      expect(turned).toEqual(["ascending", `/console/${name}?size=50`])
    }
  )

  it("of the ledger has the same balances in both orders", async () => {
    const file = async (query: string) => {
      const { text } = await viewer.get(`/console/wallet/ledger.csv${query}`)
      return text.trim().split("\r\n").slice(1)
    }
    const newest = await file("")
    expect(newest[0]?.split(",").at(-1)).toBe(String(100_000 - SENDS * 1000))
    expect(await file("?sort=oldest")).toEqual(newest.toReversed())
  })

  it.each(["requests", "audit", "wallet"])("of %s has no order but that of time", async (name) => {
    expect((await viewer.get(`/console/${name}?sort=amount`)).text).toMatch(
      /role="alert">Order: choose one of the options/
    )
  })
})

describe("an open list", () => {
  it("is not sent again to a page that has it, until something changes", async () => {
    const { id, live } = await newCustomer(server, "start")
    await server.cli("wallet", "top-up", "--customer", id, "--amount", "100000")
    await newAccount(server, id, "bale")
    const [user, other] = [await signedIn(server, id, "viewer"), await signedIn(server, id, "owner")]
    const phone = newPhone()
    const path = `/console/verifications?q=${encodeURIComponent(phone)}`
    await otp(server, live).sent({ phone, channels: "bale" })
    const etag = await until("the list to stay as it is", async () => {
      const known = (await user.get(path)).headers.get("etag") ?? expect.fail("no version")
      const { status, text } = await user.get(path, { "if-none-match": known })
      return status === 304 && text === "" ? known : undefined
    })
    const known = { "if-none-match": etag }
    await otp(server, live).sent({ phone, channels: "bale" })
    const after = await user.get(path, known)
    expect(after.status).toBe(200)
    expect(rowsOf(after)).toHaveLength(2)
    expect(after.headers.get("etag")).not.toBe(etag)
    expect((await other.get(path, { "if-none-match": after.headers.get("etag") ?? "" })).status).toBe(200)
  })
})

describe("a list between two times", () => {
  const times = ["garbage", "2030-13-01", "2026-11-24 25:00", "1405/13/45"]
  const lists = ["/console/audit", "/console/wallet", "/console/requests", "/console/verifications"]

  it.each(lists)("of %s shows nothing for a time that it cannot read, and says so", async (path) => {
    for (const time of times) {
      const { status, text } = await owner.get(`${path}?lang=fa&to=${encodeURIComponent(time)}`)
      expect(status).toBe(200)
      expect(text).toMatch(/role="alert">تا: تاریخ و ساعت را وارد کنید/)
      expect(text).not.toContain("<tbody")
      expect(text).toMatch(new RegExp(`name="to"\\s+value="${time}"`))
    }
    await owner.get(`${path}?lang=en`)
  })

  it("shows them in the calendar of its language", async () => {
    const jalali = await owner.get("/console/audit?lang=en&from=1405/09/03%2014:30")
    expect(jalali.text).toMatch(/name="from"\s+value="2026-11-24 14:30"/)
    const gregorian = await owner.get("/console/audit?lang=fa&from=2026-11-24T14:30")
    expect(gregorian.text).toMatch(/name="from"\s+value="۱۴۰۵\/۰۹\/۰۳ ۱۴:۳۰"/)
    const day = await owner.get("/console/audit?lang=fa&to=2026-11-24")
    expect(day.text).toMatch(/name="to"\s+value="۱۴۰۵\/۰۹\/۰۳"/)
    await owner.get("/console/audit?lang=en")
  })
})

describe("a search for a choice that does not exist", () => {
  const searches = [
    ["verifications?status=cancelled", "Status"],
    ["verifications?channel=tg", "Channel"],
    ["verifications?mode=sandbox", "Mode"],
    ["verifications?within=abc", "Time"],
    ["messages?status=LOCKED", "Status"],
    ["messages?strategy=zzz", "Strategy"],
    ["wallet?kind=zzz", "Type"],
    ["usage?month=zz", "Month"],
    ["keys?mode=sandbox", "Mode"],
    ["keys?status=zzz", "Status"],
    ["channels?channel=tg", "Channel"],
    ["channels?active=yes", "Status"],
    ["audit?what=zzz", "Resource"],
    ["audit?by=zzz", "Changed by"],
    ["requests?outcome=zzz", "Status"],
    ["requests?within=zzz", "Time"]
  ] as const
  const files = [
    "verifications/export.csv?status=zzz",
    "messages/export.csv?strategy=zzz",
    "wallet/ledger.csv?kind=zzz",
    "usage/usage.csv?month=zz"
  ]

  it.each(searches)("shows nothing at %s, and says so", async (search, label) => {
    const { status, text } = await owner.get(`/console/${search}`)
    expect(status).toBe(200)
    expect(text).toContain(`role="alert">${label}: choose one of the options.`)
    expect(text).not.toContain("<tbody")
  })

  it("shows no figures of a period, and says so", async () => {
    const { text } = await owner.get("/console/overview?period=zz")
    expect(text).toContain('role="alert">Unknown period. Choose one of the periods.')
    expect(text).not.toContain("data-chart")
  })

  it("shows nothing for a key without a number, or an id that is too long", async () => {
    expect((await owner.get("/console/requests?key=x")).text).toContain("Enter the number of a key.")
    expect((await owner.get(`/console/audit?id=${"x".repeat(201)}`)).text).toContain("Enter a valid id.")
  })

  it.each(files)("has no file: %s", async (file) => {
    expect((await owner.get(`/console/${file}`)).status).toBe(422)
  })

  it.each(["verifications?status=&mode=live", "usage?month=", "overview?period="])(
    "is not one without a choice: %s",
    async (search) => {
      expect((await owner.get(`/console/${search}`)).text).not.toContain('role="alert"')
    }
  )
})

describe("the switch between live and sandbox", () => {
  it("is on every page, kept by the browser, and what lists show where their address does not say", async () => {
    const visitor = await signedIn(server, server.demo.customer_id, "owner")
    const current = ({ text }: { readonly text: string }) =>
      /aria-current="true"\s*>(Live|Sandbox)</.exec(text)?.[1]
    const chosen = ({ text }: { readonly text: string }) => text.includes('<option value="test" selected>')
    for (const page of ["overview", "verifications", "keys", "settings"])
      expect(current(await visitor.get(`/console/${page}`)), page).toBe("Live")
    await visitor.get("/console/overview?show=test")
    for (const page of ["overview", "verifications", "keys", "settings"])
      expect(current(await visitor.get(`/console/${page}`)), page).toBe("Sandbox")
    for (const list of ["verifications", "messages", "requests"]) {
      expect(chosen(await visitor.get(`/console/${list}`)), list).toBe(true)
      expect(chosen(await visitor.get(`/console/${list}?mode=`)), list).toBe(false)
    }
    await visitor.get("/console/keys?show=live")
    expect(chosen(await visitor.get("/console/verifications"))).toBe(false)
  })
})
