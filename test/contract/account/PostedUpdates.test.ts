import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  BOT_TOKENS,
  type BotPlatformName,
  contactUpdate,
  membershipUpdate,
  spokenUpdate
} from "../../support/fakes/FakeBotApi.ts"
import { signedByEitaa } from "../../support/fakes/FakeEitaa.ts"
import { issues, newPhone, ok, type Reply, refused, request } from "../Client.ts"
import { connectAccount, digits, sendsOf, sendsWith, workingSettings } from "../FarEnds.ts"
import { until } from "../Server.ts"
import {
  botsOf,
  closeWorld,
  expectQuestion,
  newChat,
  openWorld,
  platforms,
  reaches,
  repliesTo,
  type World
} from "./BotWorld.ts"

const PUBLIC_URL = "https://peyk.example.ir"

let posted: World
beforeAll(async () => {
  posted = await openWorld({ PEYK_PUBLIC_URL: PUBLIC_URL }, [
    ...botsOf,
    ["rubika", "rubika_bot", workingSettings.rubika_bot],
    ["eitaa", "eitaa_app", workingSettings.eitaa_app]
  ])
}, 240_000)
afterAll(() => closeWorld(posted))

describe("with PEYK_PUBLIC_URL", () => {
  interface Post {
    readonly method?: string
    readonly body?: string
    readonly secret?: string | undefined
  }
  const post = (
    path: string,
    update: unknown,
    { method = "POST", body, secret }: Post = {}
  ): Promise<Reply> =>
    request(posted.server, method, path, {
      headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
      ...(method === "POST" && { body: body ?? JSON.stringify(update) })
    })
  /** The webhook that the platform knows. */
  const announced = (platform: BotPlatformName) =>
    until(`a webhook of ${platform}`, async () => posted.ends[platform].webhook() ?? undefined)
  const pathOf = async (platform: BotPlatformName) => new URL((await announced(platform)).url).pathname
  const inbox = async (channel: string, ...flags: ReadonlyArray<string>) => {
    const { path } = (await posted.server.cli(
      "account",
      "inbox",
      "--account",
      String(posted.account[channel]),
      ...flags
    )) as { readonly path: string }
    return path
  }
  const own = (chat: number, phone: string) =>
    contactUpdate(chat, { phone_number: digits(phone), user_id: chat })

  it.each(platforms)(
    "a bot of %s has its updates posted to a secret path, and does not poll",
    async (bot) => {
      const { url, secret_token } = await announced(bot)
      expect(url.startsWith(`${PUBLIC_URL}/`)).toBe(true)
      expect(await inbox(bot)).toBe(new URL(url).pathname)
      expect(url).not.toContain(BOT_TOKENS[bot].split(":")[1])
      expect(secret_token === undefined).toBe(bot !== "telegram")
      expect(posted.ends[bot].received.filter(({ path }) => path.endsWith("/getUpdates"))).toEqual([])
    }
  )

  it("a bot of Rubika has its updates posted to a secret path", async () => {
    const told = await until("Rubika to be informed", async () =>
      posted.ends.rubika.received.find(({ path }) => path.endsWith("/updateBotEndpoints"))
    )
    const { url } = Object(told.json)
    expect(new URL(String(url)).pathname).toBe(await inbox("rubika"))
  })

  it.each(platforms)("a bot of %s asks, links and forgets by what is posted", async (bot) => {
    const path = await pathOf(bot)
    const { secret_token: secret } = await announced(bot)
    const chat = newChat()
    const phone = newPhone()
    const send = async (update: object) => ok(await post(path, { update_id: 1, ...update }, { secret }))
    await send(spokenUpdate(chat))
    const [question] = await repliesTo(posted, bot, chat, 1)
    expectQuestion(question)
    await send(own(chat, phone))
    await repliesTo(posted, bot, chat, 2)
    expect(await reaches(posted, bot, phone, String(chat))).toBe(true)
    await send(membershipUpdate(chat, "kicked"))
    expect(await reaches(posted, bot, phone, String(chat))).toBe(false)
  })

  it("a bot of Rubika that does not trust contacts links nobody", async () => {
    const path = await inbox("rubika")
    const chat = `b0QFtn0C1I022${newChat()}`
    const phone = newPhone()
    const new_message = {
      message_id: "1",
      sender_type: "User",
      contact_message: { phone_number: digits(phone), first_name: "Sara" }
    }
    ok(await post(path, { update: { type: "NewMessage", chat_id: chat, new_message } }))
    expect(await reaches(posted, "rubika", phone, chat)).toBe(false)
  })

  it("a post to Telegram's path without its secret, or with a wrong one, is not found and does nothing", async () => {
    const path = await pathOf("telegram")
    const { secret_token = "" } = await announced("telegram")
    const wrong = [
      undefined,
      "",
      "x",
      secret_token.slice(0, -1),
      `${secret_token}x`,
      secret_token.toLowerCase()
    ]
    for (const secret of wrong) {
      const chat = newChat()
      const phone = newPhone()
      refused(await post(path, own(chat, phone), { secret }), 404, "not_found")
      expect(await reaches(posted, "telegram", phone, String(chat))).toBe(false)
    }
  })

  it("a post to an unknown or changed path is not found", async () => {
    const path = await pathOf("bale")
    const last = path.at(-1) === "A" ? "B" : "A"
    const [, id = "", token = ""] = /\/(\d+)-([^/]+)$/.exec(path) ?? []
    const changed = [
      `${path}x`,
      `${path.slice(0, -1)}${last}`,
      path.slice(0, -1),
      `${path}/x`,
      path.replace(/[^/]*$/, "unknown"),
      path.replace(/[^/]*$/, "%00"),
      path.replace(/[^/]*$/, `${"9".repeat(30)}-${token}`),
      path.replace(/[^/]*$/, `${Number(id) + 1}-${token}`),
      path.replace(/[^/]*$/, `0${id}-${token}`)
    ]
    for (const other of changed) {
      refused(await post(other, { update_id: 1, ...spokenUpdate(newChat()) }), 404, "not_found")
    }
  })

  it("a path of another account's token is not found", async () => {
    const [bale, soroushplus] = [await pathOf("bale"), await pathOf("soroushplus")]
    const mixed = bale.replace(/-.*$/, soroushplus.slice(soroushplus.indexOf("-")))
    refused(await post(mixed, spokenUpdate(newChat())), 404, "not_found")
  })

  it.each(["GET", "PUT", "DELETE"])("%s of the path is a method that it does not have", async (method) => {
    const reply = await post(await pathOf("bale"), undefined, { method })
    refused(reply, 405, "method_not_allowed")
    expect(reply.headers.get("allow")).toBe("OPTIONS, POST")
  })

  it("malformed JSON is a validation error", async () => {
    const path = await pathOf("bale")
    for (const body of ["{", '{"message":', "", "\u0000"]) {
      expect(issues(await post(path, undefined, { body }))).toEqual(["body"])
    }
  })

  it("a body that is too large is refused", async () => {
    const body = JSON.stringify({ update_id: 1, text: "x".repeat(70_000) })
    refused(await post(await pathOf("bale"), undefined, { body }), 413, "payload_too_large")
  })

  it("updates of kinds or shapes that it does not know are taken, and do nothing", async () => {
    const path = await pathOf("bale")
    const earlier = sendsOf(posted.ends.bale).length
    for (const update of [{}, [], 5, "x", { message: 7 }, { update_id: 1, poll: {} }]) {
      ok(await post(path, update))
    }
    expect(sendsOf(posted.ends.bale)).toHaveLength(earlier)
  })

  describe("Eitaa's app", () => {
    const now = () => String(Math.floor(Temporal.Now.instant().epochMilliseconds / 1000))
    const initData = (id: number, token?: string) =>
      signedByEitaa({ auth_date: now(), user: `{"id":${id}}` }, token)
    const contact = (phone: string, id: number, token?: string) =>
      signedByEitaa({ auth_date: now(), contact: `{"phone":"${digits(phone)}","user_id":${id}}` }, token)

    it("links whoever's own contact is posted, signed", async () => {
      const path = await inbox("eitaa")
      const chat = newChat()
      const phone = newPhone()
      ok(await post(path, { init_data: initData(chat), contact: contact(phone, chat) }))
      expect(await reaches(posted, "eitaa", phone, String(chat))).toBe(true)
    })

    it("links nobody by what is forged", async () => {
      const path = await inbox("eitaa")
      const chat = newChat()
      const phone = newPhone()
      const signed = contact(phone, chat)
      const other = newPhone()
      const forged = [
        { init_data: initData(chat, "1:another"), contact: signed },
        { init_data: initData(chat), contact: contact(phone, chat, "1:another") },
        { init_data: initData(chat), contact: contact(phone, chat + 1) },
        { init_data: initData(chat), contact: signed.replace(digits(phone), digits(other)) },
        { init_data: initData(chat) },
        { contact: signed },
        { init_data: signed, contact: signed },
        { init_data: `user={"id":${chat}}`, contact: `contact={"phone":"${digits(phone)}"}` }
      ]
      for (const body of forged) {
        // Whether a forgery is answered as taken or as refused, it links nobody.
        expect((await post(path, body)).status).toBeLessThan(500)
        expect(await reaches(posted, "eitaa", phone, String(chat))).toBe(false)
        expect(await reaches(posted, "eitaa", other, String(chat))).toBe(false)
      }
    })

    it("links nobody by what was signed two days ago", async () => {
      const path = await inbox("eitaa")
      const chat = newChat()
      const phone = newPhone()
      const auth_date = String(Number(now()) - 2 * 24 * 3600)
      await post(path, {
        init_data: signedByEitaa({ auth_date, user: `{"id":${chat}}` }),
        contact: signedByEitaa({
          auth_date,
          contact: `{"phone":"${digits(phone)}","user_id":${chat}}`
        })
      })
      expect(await reaches(posted, "eitaa", phone, String(chat))).toBe(false)
    })
  })

  it("an account whose provider writes nothing has no inbox", async () => {
    const sms = await connectAccount(posted.server, posted.customer.id, "sms", "smsir", workingSettings.smsir)
    const { code, err } = await posted.server.run("account", "inbox", "--account", String(sms))
    expect(code).not.toBe(0)
    expect(err).toMatch(/account \d+/)
  })

  // The last tests of this bot: its path changes.
  describe("account inbox --rotate", () => {
    let before: string
    let after: string
    beforeAll(async () => {
      before = await pathOf("telegram")
      after = await inbox("telegram", "--rotate")
    })

    it("gives the account another path, which stays", async () => {
      expect(after).not.toBe(before)
      expect(await inbox("telegram")).toBe(after)
    })

    it("ends the old path at once", async () => {
      const { secret_token: secret } = await announced("telegram")
      const chat = newChat()
      refused(await post(before, { update_id: 1, ...spokenUpdate(chat) }, { secret }), 404, "not_found")
      expect(sendsWith(posted.ends.telegram, String(chat))).toEqual([])
    })

    it("registers the new one at the platform, by which updates come", async () => {
      const webhook = await until("Telegram to learn the new path", async () => {
        const now = posted.ends.telegram.webhook()
        return now !== null && new URL(now.url).pathname === after ? now : undefined
      })
      const chat = newChat()
      ok(await post(after, { update_id: 1, ...spokenUpdate(chat) }, { secret: webhook.secret_token }))
      await repliesTo(posted, "telegram", chat, 1)
    })

    it("does not disturb other work of the server", () => {
      const lines = posted.server.output().split("\n")
      expect(lines.filter((line) => /"level":"(ERROR|FATAL)"/.test(line))).toEqual([])
    })
  })
})
