import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { contactUpdate, membershipUpdate, spokenUpdate } from "../../support/fakes/FakeBotApi.ts"
import { newPhone } from "../Client.ts"
import { connectAccount, digits, sendsWith, workingSettings } from "../FarEnds.ts"
import {
  botsOf,
  closeWorld,
  expectQuestion,
  newChat,
  openWorld,
  persian,
  platforms,
  reaches,
  repliesTo,
  textOf,
  type World
} from "./BotWorld.ts"

let polling: World
beforeAll(async () => {
  polling = await openWorld({}, [
    ...botsOf,
    ["rubika", "rubika_bot", { ...workingSettings.rubika_bot, trust_contacts: true }]
  ])
}, 240_000)
afterAll(() => closeWorld(polling))

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
    const [refusal] = await repliesTo(polling, platform, chat, 1)
    expect(textOf(refusal)).toContain("ایران")
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
