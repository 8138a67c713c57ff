import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  BOT_TOKENS,
  type BotPlatformName,
  contactUpdate,
  membershipUpdate,
  spokenUpdate
} from "../../support/fakes/FakeBotApi.ts"
import { signedByEitaa } from "../../support/fakes/FakeEitaa.ts"
import { issues, messages, newPhone, ok, type Reply, refused, request } from "../Client.ts"
import {
  arrived,
  connectAccount,
  digits,
  type FarEnds,
  openFarEnds,
  sendsOf,
  sendsWith,
  workingSettings
} from "../FarEnds.ts"
import { type Customer, newCustomer } from "../Operator.ts"
import { type Server, startServer, until } from "../Server.ts"

const PUBLIC_URL = "https://peyk.example.ir"
const platforms: ReadonlyArray<BotPlatformName> = ["bale", "soroushplus", "telegram"]
const persian = /[\u0600-\u06ff]{3}/

interface World {
  readonly ends: FarEnds
  readonly server: Server
  readonly customer: Customer
  /** The `credential_id` of the channel's account. */
  readonly account: Readonly<Record<string, number>>
}

const openWorld = async (
  env: Readonly<Record<string, string>>,
  providers: ReadonlyArray<readonly [channel: string, provider: string, settings: object]>
): Promise<World> => {
  const ends = await openFarEnds()
  const server = await startServer({ env: { ...ends.env, ...env } })
  const customer = await newCustomer(server)
  const connected = await Promise.all(
    providers.map(async ([channel, ...given]) => [
      channel,
      await connectAccount(server, customer.id, channel, ...given)
    ])
  )
  return { ends, server, customer, account: Object.fromEntries(connected) }
}

const botsOf = platforms.map(
  (platform) => [platform, `${platform}_bot`, { token: BOT_TOKENS[platform] }] as const
)

let polling: World
let posted: World
beforeAll(async () => {
  const opened = await Promise.all([
    openWorld({}, [
      ...botsOf,
      ["rubika", "rubika_bot", { ...workingSettings.rubika_bot, trust_contacts: true }]
    ]),
    openWorld({ PEYK_PUBLIC_URL: PUBLIC_URL }, [
      ...botsOf,
      ["rubika", "rubika_bot", workingSettings.rubika_bot],
      ["eitaa", "eitaa_app", workingSettings.eitaa_app]
    ])
  ])
  polling = opened[0]
  posted = opened[1]
}, 240_000)
afterAll(async () => {
  for (const world of [polling, posted]) {
    await world?.server.stop()
    await world?.ends.close()
  }
})

let people = 700_000
const newChat = () => (people += 1)
const textOf = (body: unknown) => String(Object(body).text)

/** Whether the messenger's channel reaches the phone: by a message, which has to arrive in the chat if it does. */
const reaches = async (
  { ends, server, customer }: World,
  channel: Messenger,
  phone: string,
  chat: string
) => {
  const fake = ends[channel]
  const text = `To ${phone} over ${channel} at ${performance.now()}`
  const message = await messages(server, customer.live).delivered({
    to: phone,
    message: text,
    channels: channel
  })
  const [attempt] = message.attempts
  if (message.status === "sent") {
    const [received] = await arrived(fake, text)
    expect(String(Object(received?.json).chat_id)).toBe(chat)
    return true
  }
  expect(attempt).toMatchObject({ status: "failed", error_code: "recipient_unreachable" })
  expect(sendsWith(fake, text)).toEqual([])
  return false
}
type Messenger = BotPlatformName | "rubika" | "eitaa"

/** Waits until the bot has written this many times to the chat; gives what it wrote, in order. */
const repliesTo = async ({ ends }: World, channel: Messenger, chat: number | string, count: number) =>
  (await arrived(ends[channel], `"chat_id":${JSON.stringify(chat)}`, count)).map((received) => received.json)

/** A request for the sender's number, in Persian, with a button that shares it. */
const expectQuestion = (reply: unknown) => {
  expect(textOf(reply)).toMatch(persian)
  const keyboard: ReadonlyArray<ReadonlyArray<unknown>> = Object(reply).reply_markup.keyboard
  expect(keyboard.flat()).toEqual(
    expect.arrayContaining([{ text: expect.stringMatching(persian), request_contact: true }])
  )
}

// At the same time, because a bot is asked about once a second.
describe.concurrent.each(platforms)("a bot of %s that polls", (platform) => {
  const push = (update: object) => polling.ends[platform].push(update)
  const linkAnew = async () => {
    const chat = newChat()
    const phone = newPhone()
    push(contactUpdate(chat, { phone_number: digits(phone), user_id: chat }))
    await repliesTo(polling, platform, chat, 1)
    return { chat, phone }
  }
  /** Waits until everything that was pushed has been read: updates are read in order. */
  const readAll = async () => {
    const chat = newChat()
    push(spokenUpdate(chat))
    await repliesTo(polling, platform, chat, 1)
  }

  it("asks whoever starts it for their number, in Persian, with a button", async () => {
    const chat = newChat()
    push(spokenUpdate(chat))
    const [question] = await repliesTo(polling, platform, chat, 1)
    expectQuestion(question)
  })

  it("reaches a phone once its owner has shared it, and confirms it", async () => {
    const chat = newChat()
    const phone = newPhone()
    expect(await reaches(polling, platform, phone, String(chat))).toBe(false)
    push(spokenUpdate(chat))
    await repliesTo(polling, platform, chat, 1)
    push(contactUpdate(chat, { phone_number: digits(phone), user_id: chat }))
    const [question, thanks] = await repliesTo(polling, platform, chat, 2)
    expect(textOf(thanks)).toMatch(persian)
    expect(textOf(thanks)).not.toBe(textOf(question))
    expect(Object(thanks).reply_markup?.keyboard).toBeUndefined()
    expect(await reaches(polling, platform, phone, String(chat))).toBe(true)
  })

  const spellings = [
    ["with a plus", (phone: string) => phone],
    ["as a local number", (phone: string) => phone.replace("+98", "0")],
    ["as a number", (phone: string) => Number(digits(phone))]
  ] as const
  it.each(spellings)("reads a phone that comes %s", async (_, spell) => {
    const chat = newChat()
    const phone = newPhone()
    push(contactUpdate(chat, { phone_number: spell(phone), user_id: chat }))
    await repliesTo(polling, platform, chat, 1)
    expect(await reaches(polling, platform, phone, String(chat))).toBe(true)
  })

  it("does not link somebody else's contact", async () => {
    const [chat, other] = [newChat(), newChat()]
    const phone = newPhone()
    push(contactUpdate(chat, { phone_number: digits(phone), user_id: other }))
    await readAll()
    expect(await reaches(polling, platform, phone, String(chat))).toBe(false)
  })

  it("does not take a phone from its owner by somebody else's contact", async () => {
    const { chat, phone } = await linkAnew()
    push(contactUpdate(newChat(), { phone_number: digits(phone), user_id: chat }))
    await readAll()
    expect(await reaches(polling, platform, phone, String(chat))).toBe(true)
  })

  it("does not link a foreign number, and goes on", async () => {
    const chat = newChat()
    push(contactUpdate(chat, { phone_number: "4915112345678", user_id: chat }))
    await linkAnew()
  })

  it("no longer reaches somebody who blocks it", async () => {
    const { chat, phone } = await linkAnew()
    push(membershipUpdate(chat, "kicked"))
    await readAll()
    expect(await reaches(polling, platform, phone, String(chat))).toBe(false)
  })

  it("reaches a phone in the chat that shared it last", async () => {
    const { phone } = await linkAnew()
    const chat = newChat()
    push(contactUpdate(chat, { phone_number: digits(phone), user_id: chat }))
    await repliesTo(polling, platform, chat, 1)
    expect(await reaches(polling, platform, phone, String(chat))).toBe(true)
  })

  it("answers nobody in a group", async () => {
    const chat = newChat()
    const { message } = spokenUpdate(chat)
    push({ message: { ...message, chat: { id: -chat, type: "group" } } })
    await readAll()
    expect(sendsWith(polling.ends[platform], String(chat))).toEqual([])
  })
})

describe.concurrent("a bot of Rubika that polls and trusts contacts", () => {
  const say = (chat_id: string, new_message: object) =>
    polling.ends.rubika.updates.push({
      type: "NewMessage",
      chat_id,
      new_message: { message_id: "1", sender_type: "User", ...new_message }
    })
  const chatOf = () => `b0QFtn0C1I022${newChat()}`
  /** Starts the bot in a new chat; gives the chat, and the button that it then has. */
  const start = async () => {
    const chat = chatOf()
    polling.ends.rubika.updates.push({ type: "StartedBot", chat_id: chat })
    const [question] = await repliesTo(polling, "rubika", chat, 1)
    const button = Object(question).chat_keypad?.rows?.[0]?.buttons?.[0]
    return { chat, question, button_id: String(button?.id) }
  }
  /** The contact that a press of the button sends: one's own number. */
  const pressed = (phone: string, button_id: string) => ({
    text: digits(phone),
    aux_data: { start_id: null, button_id }
  })

  it("asks whoever starts it for their number, in Persian, with a button", async () => {
    const { question } = await start()
    expect(textOf(question)).toMatch(persian)
    expect(JSON.stringify(question)).toMatch(/"type":"(AskMyPhoneNumber|MyPhoneNumber)"/)
  })

  it("reaches a phone that its button has sent, until its owner stops the bot", async () => {
    const { chat, button_id } = await start()
    const phone = newPhone()
    say(chat, pressed(phone, button_id))
    await repliesTo(polling, "rubika", chat, 2)
    expect(await reaches(polling, "rubika", phone, chat)).toBe(true)
    polling.ends.rubika.updates.push({ type: "StoppedBot", chat_id: chat })
    await start()
    expect(await reaches(polling, "rubika", phone, chat)).toBe(false)
  })

  it("does not link what was forwarded, or only typed", async () => {
    const { chat, button_id } = await start()
    const phone = newPhone()
    const forwarded_from = { type_from: "User" }
    say(chat, { ...pressed(phone, button_id), forwarded_from })
    say(chat, { contact_message: { phone_number: digits(phone) }, forwarded_from })
    say(chat, { text: digits(phone) })
    await start()
    expect(await reaches(polling, "rubika", phone, chat)).toBe(false)
  })
})

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
    expect(reply.headers.get("allow")).toBe("POST")
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

describe("contacts import", () => {
  const importing = (file: string, channel = "bale") =>
    polling.server.feed(
      file,
      "contacts",
      "import",
      "--account",
      String(polling.account[channel]),
      "--file",
      "-",
      "--json"
    )
  const imported = async (file: string) => {
    const { code, out, err } = await importing(file)
    expect(code, err).toBe(0)
    return (JSON.parse(out) as { readonly imported: number }).imported
  }
  const count = async () => {
    const counted = await polling.server.cli(
      "contacts",
      "count",
      "--account",
      String(polling.account["bale"])
    )
    return (counted as { readonly contacts: number }).contacts
  }
  const local = (phone: string) => phone.replace("+98", "0")
  const inPersian = (text: string) => text.replace(/\d/g, (digit) => "۰۱۲۳۴۵۶۷۸۹".charAt(Number(digit)))
  const toBale = (phone: string, chat: number) => reaches(polling, "bale", phone, String(chat))

  const forms: ReadonlyArray<readonly [string, (phone: string, chat: number) => string]> = [
    ["as it is documented", (phone, chat) => `phone,chat_id\n${local(phone)},${chat}\n`],
    ["with a byte order mark", (phone, chat) => `\uFEFFphone,chat_id\n${local(phone)},${chat}\n`],
    ["with lines that end in CRLF", (phone, chat) => `phone,chat_id\r\n${local(phone)},${chat}\r\n`],
    ["without an end of its last line", (phone, chat) => `phone,chat_id\n${local(phone)},${chat}`],
    ["in quotes", (phone, chat) => `"phone","chat_id"\n"${local(phone)}","${chat}"\n`],
    ["in Persian digits", (phone, chat) => `phone,chat_id\n${inPersian(local(phone))},${chat}\n`],
    ["with phones in E.164", (phone, chat) => `phone,chat_id\n${phone},${chat}\n`],
    ["with phones without a plus", (phone, chat) => `phone,chat_id\n${digits(phone)},${chat}\n`],
    [
      "with phones that lost their zero",
      (phone, chat) => `phone,chat_id\n${phone.replace("+98", "")},${chat}\n`
    ],
    ["in another order", (phone, chat) => `chat_id,phone\n${chat},${local(phone)}\n`],
    ["with other columns", (phone, chat) => `name,phone,chat_id,city\nSara,${local(phone)},${chat},Shiraz\n`],
    [
      "with a comma and quotes in another column",
      (phone, chat) => `name,phone,chat_id\n"Ahmadi, ""Sara""",${local(phone)},${chat}\n`
    ],
    ["with an empty line in the end", (phone, chat) => `phone,chat_id\n${local(phone)},${chat}\n\n`]
  ]
  it.concurrent.each(forms)("reads a file %s", async (_, write) => {
    const phone = newPhone()
    const chat = newChat()
    expect(await imported(write(phone, chat))).toBe(1)
    expect(await toBale(phone, chat)).toBe(true)
  })

  it("names all lines that are wrong, and imports nothing", async () => {
    const phone = newPhone()
    const before = await count()
    const lines = ["phone,chat_id", `${phone},5`, "02188776655,6", `${newPhone()},`, "nonsense", `${phone},7`]
    const { code, out, err } = await importing(lines.join("\n"))
    expect(code).not.toBe(0)
    expect(out).toBe("")
    for (const line of [3, 4, 5]) expect(err).toMatch(new RegExp(`line ${line}\\b`))
    for (const line of [2, 6]) expect(err).not.toMatch(new RegExp(`line ${line}\\b`))
    expect(await count()).toBe(before)
    expect(await toBale(phone, 5)).toBe(false)
  })

  it.each([["no header", "09121234567,5\n"] as const, ["nothing", ""] as const])(
    "refuses a file that has %s",
    async (_, file) => {
      const { code, err } = await importing(file)
      expect(code).not.toBe(0)
      expect(err).toMatch(/phone.*chat_id/)
    }
  )

  it("refuses an account that nobody writes to, and one that does not exist", async () => {
    const file = `phone,chat_id\n${newPhone()},5\n`
    for (const account of ["999999", String(await smsAccount())]) {
      const { code, err } = await polling.server.feed(
        file,
        "contacts",
        "import",
        "--account",
        account,
        "--file",
        "-"
      )
      expect(code, account).not.toBe(0)
      expect(err).toMatch(/account/)
    }
  })
  const smsAccount = () =>
    connectAccount(polling.server, polling.customer.id, "sms", "smsir", workingSettings.smsir)

  it("done twice replaces: the phone is reached in its new chat, and counted once", async () => {
    const phone = newPhone()
    const [first, second] = [newChat(), newChat()]
    await imported(`phone,chat_id\n${phone},${first}\n`)
    const before = await count()
    expect(await imported(`phone,chat_id\n${phone},${second}\n`)).toBe(1)
    expect(await count()).toBe(before)
    expect(await toBale(phone, second)).toBe(true)
  })

  it("of a thousand phones counts them all", async () => {
    const before = await count()
    const lines = Array.from({ length: 1_000 }, () => `${newPhone()},${newChat()}`)
    expect(await imported(["phone,chat_id", ...lines].join("\n"))).toBe(1_000)
    expect(await count()).toBe(before + 1_000)
  })

  it("is undone by contacts remove, once", async () => {
    const phone = newPhone()
    const chat = newChat()
    await imported(`phone,chat_id\n${phone},${chat}\n`)
    const remove = async () =>
      (await polling.server.cli(
        "contacts",
        "remove",
        "--account",
        String(polling.account["bale"]),
        "--phone",
        local(phone)
      )) as { readonly removed: boolean }
    expect((await remove()).removed).toBe(true)
    expect(await toBale(phone, chat)).toBe(false)
    expect((await remove()).removed).toBe(false)
  })

  it("reads a file by its name", async () => {
    const { code, err } = await polling.server.run(
      "contacts",
      "import",
      "--account",
      String(polling.account["bale"]),
      "--file",
      "/no/such/file.csv"
    )
    expect(code).not.toBe(0)
    expect(err).toContain("/no/such/file.csv")
  })
})
