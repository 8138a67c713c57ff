import { beforeAll, describe, expect, it } from "vitest"
import { messages } from "../contract/Client.ts"
import { newEmail, PASSWORD } from "../contract/Manager.ts"
import { newAccount, newCustomer } from "../contract/Operator.ts"
import { until } from "../contract/Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../contract/SharedServer.ts"
import { type Answer, csrfIn, newVisitor, signedIn, type Visitor } from "./Visitor.ts"

let server: SharedServer
let owner: Visitor
beforeAll(async () => {
  server = await sharedServerWithDemo()
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

const submit = async (visitor: Visitor, page: string, action: string, fields: Record<string, string> = {}) =>
  visitor.post(action, { ...fields, csrf: csrfIn(await visitor.get(page)) })

const send = async () => {
  const reply = await fetch(`${server.url}/v1/otp/send`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": server.demo.live_key,
      "idempotency-key": crypto.randomUUID()
    },
    body: JSON.stringify({ phone: "09121234567", channels: ["bale"] })
  })
  expect(reply.status).toBe(200)
}

describe("the wallet", () => {
  it("shows what is there, every movement, and the ledger as a file", async () => {
    await send()
    const page = await owner.get("/console/wallet")
    expect(page.text).toContain("9,999,000 IRR")
    expect(page.text).toContain("Top-up")
    const filtered = await owner.get("/console/wallet?kind=capture")
    expect(filtered.text).not.toContain(">Top-up</span>")
    const file = await owner.get("/console/wallet/ledger.csv")
    expect(file.headers.get("content-type")).toMatch(/^text\/csv/)
    const lines = file.text.trim().split("\r\n")
    expect(lines[0]).toContain("id,time,kind,amount_rials,subject_type,subject_id")
    expect(lines.slice(1).map((line) => line.split(",").slice(2, 4).join(" "))).toEqual([
      "capture -1000",
      "top_up 10000000"
    ])
  })

  it("speaks Persian with Persian digits", async () => {
    const { text } = await owner.get("/console/wallet?lang=fa")
    expect(text).toContain("ریال")
    expect(text).toMatch(/[۰-۹]٬[۰-۹]{3}|[۰-۹]{3}/)
    await owner.get("/console/wallet?lang=en")
  })

  it("has no file for a time that it cannot read", async () => {
    const file = await owner.get("/console/wallet/ledger.csv?from=1405/13/01")
    expect(file.status).toBe(422)
    expect(file.text).toContain("From: not a date and time.")
    expect(file.text).toMatch(/href="\/console\/wallet">Back/)
  })

  it("refuses a cursor that is none", async () => {
    expect((await owner.get("/console/wallet?cursor=x")).status).toBe(422)
  })

  it("says that it shows the newest of what is held, and leads to all of it", async () => {
    const heldFor = ({ text }: Answer) =>
      [...(text.split("<h2 class")[0] ?? "").matchAll(/href="\/console\/messages\/[^"]+"/g)].length
    const { id, live } = await newCustomer(server, "start")
    await server.cli("wallet", "top-up", "--customer", id, "--amount", "100000")
    await newAccount(server, id, "bale")
    const viewer = await signedIn(server, id, "viewer")
    for (let round = 0; round < 11; round++)
      await messages(server, live).created({ channels: "bale", delay: "1h" })
    const page = await viewer.get("/console/wallet")
    expect(heldFor(page)).toBe(10)
    expect(page.text).toContain("The newest 10.")
    expect(page.text).toContain('href="/console/wallet/holds"')
    expect(heldFor(await viewer.get("/console/wallet/holds"))).toBe(11)
  })

  it("says to customers of the free plan that nothing is charged", async () => {
    const viewer = await signedIn(server, (await newCustomer(server, "free")).id, "viewer")
    const { text } = await viewer.get("/console/wallet")
    expect(text).toContain("Sends on the free plan cost nothing.")
    expect(text).not.toContain("is charged")
  })
})

describe("usage", () => {
  it("shows a month by day and channel, and as a file", async () => {
    await send()
    const page = await until("the figures to be summed up", async () => {
      const shown = await owner.get("/console/usage")
      return shown.text.includes("being summed up") ? undefined : shown
    })
    expect(page.text).toContain("data-chart")
    expect(page.text).toContain("Bale")
    const file = await owner.get("/console/usage/usage.csv")
    expect(file.text).toMatch(/\d{4}-\d\d-\d\d,bale,/)
    expect((await owner.get("/console/usage?month=1999-01")).status).toBe(200)
  })

  it("names its months by the calendar of the language", async () => {
    const lead = async (language: string) =>
      /<p class="lead">([^<]*)/.exec((await owner.get(`/console/usage?lang=${language}`)).text)?.[1] ?? ""
    expect(await lead("fa")).toMatch(/فروردین|اردیبهشت|خرداد|تیر|مرداد|شهریور|مهر|آبان|آذر|دی|بهمن|اسفند/)
    expect(await lead("fa")).not.toMatch(
      /ژانویه|فوریه|مارس|آوریل|مه|ژوئن|ژوئیه|اوت|سپتامبر|اکتبر|نوامبر|دسامبر/
    )
    expect(await lead("en")).toMatch(/^\s*[A-Z][a-z]+ \d{4}\s*$/)
  })
})

const linkIn = (text: string): string =>
  /<code>(http[^<]+)<\/code>/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? ""

const openLink = async (url: string) => {
  const visitor = newVisitor(server)
  const { pathname, search, searchParams } = new URL(url)
  const csrf = csrfIn(await visitor.get(`${pathname}${search}`))
  const reply = await visitor.post("/console/sign-in-link", { csrf, token: searchParams.get("token") ?? "" })
  return { visitor, reply }
}

const invite = async (role: "viewer" | "developer") => {
  const email = newEmail(role)
  const fields = { name: `New ${role}`, email, role }
  const made = await submit(owner, "/console/users/new", "/console/users/new", fields)
  expect(made.status, made.text).toBe(200)
  return { email, link: linkIn(made.text) }
}

describe("a list between two times", () => {
  const times = ["garbage", "2030-01-01", "1405/13/45"]
  const lists = ["/console/audit", "/console/wallet", "/console/requests", "/console/verifications"]

  it.each(lists)("of %s shows nothing for a time that it cannot read, and says so", async (path) => {
    for (const time of times) {
      const { status, text } = await owner.get(`${path}?lang=fa&to=${encodeURIComponent(time)}`)
      expect(status).toBe(200)
      expect(text).toMatch(/role="alert">«تا» تاریخ و ساعت نیست/)
      expect(text).not.toContain("<tbody")
      expect(text).toMatch(new RegExp(`name="to"\\s+value="${time}"`))
    }
    await owner.get(`${path}?lang=en`)
  })

  it("shows them in the calendar of its language", async () => {
    const jalali = await owner.get("/console/audit?lang=en&from=1405/09/03%2014:30")
    expect(jalali.text).toMatch(/name="from"\s+value="2026-11-24T14:30"/)
    const gregorian = await owner.get("/console/audit?lang=fa&from=2026-11-24T14:30")
    expect(gregorian.text).toMatch(/name="from"\s+value="۱۴۰۵\/۰۹\/۰۳ ۱۴:۳۰"/)
    await owner.get("/console/audit?lang=en")
  })
})

describe("a search for a choice that does not exist", () => {
  const searches = [
    ["verifications?status=cancelled", "Status"],
    ["verifications?channel=tg", "Channel tried"],
    ["verifications?mode=sandbox", "Mode"],
    ["verifications?within=abc", "Time"],
    ["messages?status=LOCKED", "Status"],
    ["messages?strategy=zzz", "Strategy"],
    ["wallet?kind=zzz", "Kind"],
    ["usage?month=zz", "Month"],
    ["keys?mode=sandbox", "Mode"],
    ["keys?status=zzz", "Status"],
    ["channels?channel=tg", "Channel"],
    ["channels?active=yes", "State"],
    ["audit?what=zzz", "Change of"],
    ["audit?by=zzz", "By"],
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
    expect(text).toContain(`role="alert">${label}: there is no such choice.`)
    expect(text).not.toContain("<tbody")
  })

  it("shows no figures of a period, and says so", async () => {
    const { text } = await owner.get("/console/overview?period=zz")
    expect(text).toContain('role="alert">There is no such period.')
    expect(text).not.toContain("data-chart")
  })

  it("shows nothing for a key without a number, or an id that is too long", async () => {
    expect((await owner.get("/console/requests?key=x")).text).toContain("This is not the number of a key.")
    expect((await owner.get(`/console/audit?id=${"x".repeat(201)}`)).text).toContain("This is not an id.")
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

describe("users", () => {
  it("are invited by a link, and then choose their password", async () => {
    const { email, link } = await invite("developer")
    const { visitor, reply } = await openLink(link)
    expect(reply).toMatchObject({ status: 303, location: "/console/overview" })
    const set = await submit(visitor, "/console/settings", "/console/settings/password", {
      password: PASSWORD
    })
    expect(set).toMatchObject({ status: 303, location: "/console/sign-in?notice=password_set" })
    expect((await visitor.get("/console/overview")).status).toBe(302)
    expect((await newVisitor(server).signIn(email)).status).toBe(303)
  })

  it("get other names and roles, are disabled, and are let in again", async () => {
    const { email, link } = await invite("viewer")
    const { visitor } = await openLink(link)
    const list = await owner.get("/console/users")
    const path =
      new RegExp(`href="(/console/users/[0-9a-f-]{36})"><bdi>New viewer`).exec(list.text)?.[1] ?? ""
    expect((await owner.get(path)).text).toContain(email)
    await submit(owner, path, path, { name: "Sara", role: "developer" })
    expect((await visitor.get("/console/keys/new")).status).toBe(200)
    await submit(owner, path, `${path}/disable`)
    expect((await visitor.get("/console/overview")).status).toBe(302)
    await submit(owner, path, `${path}/enable`)
    const again = await submit(owner, path, `${path}/link`)
    expect((await openLink(linkIn(again.text))).reply.status).toBe(303)
  })

  it("need an address of their own", async () => {
    const { email } = await invite("viewer")
    const fields = { name: "Twin", email, role: "viewer" }
    const refused = await submit(owner, "/console/users/new", "/console/users/new", fields)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain("in use already")
  })

  it("keep what was typed when the last owner would be none, and say so", async () => {
    const only = await signedIn(server, (await newCustomer(server)).id, "owner")
    const list = await only.get("/console/users")
    const path = /href="(\/console\/users\/[0-9a-f-]{36})"/.exec(list.text)?.[1] ?? ""
    const alone = await submit(only, path, path, { name: "Typed name", role: "viewer" })
    expect(alone.status).toBe(409)
    expect(alone.text).toContain("The account would have no owner.")
    expect(alone.text).toContain('value="Typed name"')
    expect(alone.text).toContain('<option value="viewer" selected')
  })

  it("are managed by owners only", async () => {
    const developer = await signedIn(server, server.demo.customer_id, "developer")
    expect((await developer.get("/console/users")).text).toContain("Owners manage users")
    expect((await developer.get("/console/users/new")).status).toBe(403)
    const fields = { name: "x", email: newEmail("owner"), role: "owner" }
    expect((await submit(developer, "/console/users", "/console/users/new", fields)).status).toBe(403)
  })
})

describe("the audit log", () => {
  it("lists changes of the console in the user's name, and finds them", async () => {
    await submit(owner, "/console/settings", "/console/settings", {
      name: "Demo",
      brand: "پیک",
      locale: "fa"
    })
    const { text } = await owner.get("/console/audit?what=customer.&by=user")
    expect(text).toContain("customer.update")
    expect(text).toContain("brand")
    expect(text).not.toContain("user.create<")
    expect((await owner.get("/console/audit?id=nothing-like-that")).text).toContain("No change")
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
    expect(await found("guard.")).toContain("guard.save")
    expect(await found("guard.")).not.toContain("test.send")
    expect(await found("test.")).toContain("test.send")
  })
})

describe("settings", () => {
  it("are changed by owners, and refused with the field that is wrong", async () => {
    const saved = await submit(owner, "/console/settings", "/console/settings", {
      name: "Shop",
      brand: "Shop",
      locale: "en",
      webotp_host: "shop.example.ir"
    })
    expect(saved.location).toBe("/console/settings?notice=saved")
    expect((await owner.get("/console/settings")).text).toContain('value="shop.example.ir"')
    const refused = await submit(owner, "/console/settings", "/console/settings", {
      name: "",
      webotp_host: "not a host"
    })
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/id="field-webotp_host"[^>]*aria-invalid="true"/s)
    const viewer = await signedIn(server, server.demo.customer_id, "viewer")
    expect((await submit(viewer, "/console/settings", "/console/settings", { name: "x" })).status).toBe(403)
  })

  it("of codes are changed by developers too, but not the name", async () => {
    const developer = await signedIn(server, server.demo.customer_id, "developer")
    const { text } = await developer.get("/console/settings")
    expect(text).toContain('name="brand"')
    expect(text).not.toContain('name="name"')
    const settings = "/console/settings"
    expect((await submit(developer, settings, settings, { brand: "Bazar" })).status).toBe(303)
    expect((await owner.get(settings)).text).toContain('value="Bazar"')
    expect((await submit(developer, settings, settings, { name: "Bazar" })).status).toBe(403)
  })

  it("refuse a short password", async () => {
    const viewer = await signedIn(server, server.demo.customer_id, "viewer")
    const refused = await submit(viewer, "/console/settings", "/console/settings/password", {
      password: "short"
    })
    expect(refused.status).toBe(422)
  })
})
