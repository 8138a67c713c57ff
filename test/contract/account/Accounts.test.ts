import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { messages, newKey } from "../Client.ts"
import {
  BRIDGE_SECRET,
  type Connected,
  connectArguments,
  type FarEnds,
  openFarEnds,
  sendsOf,
  workingSettings
} from "../FarEnds.ts"
import { type Customer, newCustomer } from "../Operator.ts"
import { hasOwnStore, storeSettings } from "../OwnStore.ts"
import { type Finished, runCommand, type Server, startServer, neutralEnvironment } from "../Server.ts"

let server: Server
let ends: FarEnds
let customer: Customer
beforeAll(async () => {
  ends = await openFarEnds()
  server = await startServer({ env: ends.env })
  customer = await newCustomer(server)
}, 240_000)
afterAll(async () => {
  await server?.stop()
  await ends?.close()
})

/** Everything that the commands here printed, and no command may print a setting. */
const printed: Array<string> = []

const remember = (finished: Finished) => {
  printed.push(finished.out, finished.err)
  return finished
}
const run = async (...args: ReadonlyArray<string>) => remember(await server.run(...args))

const connect = (channel: string, provider: string, settings: object, ...flags: ReadonlyArray<string>) =>
  run(...connectArguments(customer.id, channel, provider, settings, ...flags))

/** The accounts that were connected. */
const connectedIds: Array<number> = []
const connected = async (...given: Parameters<typeof connect>): Promise<Connected> => {
  const { code, out, err } = await connect(...given, "--json")
  expect(code, err).toBe(0)
  const made = JSON.parse(out) as Connected
  connectedIds.push(made.credential_id)
  return made
}

const accountsOf = async () => {
  const { data } = (await server.cli("account", "list", "--customer", customer.id)) as {
    readonly data: ReadonlyArray<{ readonly credential_id: number; readonly provider: string }>
  }
  return data
}

/** The command must fail and say this, without a word of the program's own insides. */
const refuses = async (attempt: () => Promise<Finished>, says: RegExp) => {
  const { code, out, err } = await attempt()
  expect(code).not.toBe(0)
  expect(out).toBe("")
  expect(err).toMatch(says)
  expect(err).not.toMatch(/\n\s+at .*\(|file:\/\//)
}

/** Runs on the same store, with other settings of the service. */
const runWith = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const { dataDir } = server
  const store = { ...(await storeSettings(dataDir)), PEYK_DATA_DIR: dataDir }
  return remember(await runCommand({ ...neutralEnvironment(), ...ends.env, ...store, ...env }, args))
}

/** Tokens that no far end knows, each in the shape its provider wants. */
const wrong = {
  telegram: { token: "3000000003:WrongTelegramTokenOf35Characters-01" },
  bale: { token: "1700000001:WrongBaleTokenOfSomeCharacters012345" },
  soroushplus: { token: "20000000002:WrongSoroushPlusToken-9876543210" },
  rubika: { token: "WRONGRUBIKATOKEN9876543210" },
  smsir: { ...workingSettings.smsir, api_key: "wrong-smsir-key-9876543210" }
} as const

describe("account connect", () => {
  const checks = [
    ["sms", "smsir", /18450\.5/],
    ["bale", "bale_bot", /@peyk_bale_bot/],
    ["soroushplus", "soroushplus_bot", /@peyk_soroush_bot/],
    ["rubika", "rubika_bot", /@peyk_bot/],
    ["telegram", "telegram_bot", /@peyk_telegram_bot/]
  ] as const
  it.each(checks)("shows what the provider says: over %s, %s", async (channel, provider, says) => {
    const { check, credential_id } = await connected(channel, provider, workingSettings[provider])
    expect(check).toMatch(says)
    expect(credential_id).toBeTypeOf("number")
  })

  it("sends nobody anything by its check", () => {
    for (const fake of [ends.smsir, ends.bale, ends.soroushplus, ends.rubika, ends.telegram]) {
      expect(fake.received.length).toBeGreaterThan(0)
      expect(sendsOf(fake)).toEqual([])
    }
  })

  it("says that a provider without a check was not asked", async () => {
    const { check } = await connected("eitaa", "eitaa_app", workingSettings.eitaa_app)
    expect(check).toMatch(/no check/)
    expect(ends.eitaa.received).toEqual([])
  })

  const refusals = [
    ["sms", "smsir", wrong.smsir, /smsir.*10/],
    ["bale", "bale_bot", wrong.bale, /bale_bot.*401 Unauthorized/],
    ["soroushplus", "soroushplus_bot", wrong.soroushplus, /soroushplus_bot.*401 Unauthorized/],
    ["rubika", "rubika_bot", wrong.rubika, /rubika_bot.*INVALID_ACCESS/],
    ["telegram", "telegram_bot", wrong.telegram, /telegram_bot.*401 Unauthorized/]
  ] as const
  it.each(refusals)(
    "refuses an account that its provider refuses: over %s, %s",
    (channel, provider, settings, says) => refuses(() => connect(channel, provider, settings), says)
  )

  it("connects it anyway with --no-check, and asks nobody", async () => {
    const earlier = ends.telegram.received.length
    const { check } = await connected("telegram", "telegram_bot", wrong.telegram, "--no-check")
    expect(check).toMatch(/skipped/)
    const asked = ends.telegram.received.slice(earlier).filter(({ path }) => path.endsWith("/getMe"))
    expect(asked).toEqual([])
  })

  it("connects an account whose provider cannot be reached, and says so", async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const { code, out, err } = await runWith(
      { PEYK_BALE_BOT_URL: nobody },
      ...connectArguments(customer.id, "bale", "bale_bot", wrong.bale),
      "--json"
    )
    expect(code, err).toBe(0)
    const { check, credential_id } = JSON.parse(out) as Connected
    expect(check).toMatch(/could not be asked/)
    connectedIds.push(credential_id)
  })

  const unclear = [
    ["breaks the connection", "reset"],
    ["has a problem", { status: 502, text: "<html>Bad Gateway</html>" }]
  ] as const
  it.each(unclear)("connects an account whose provider %s, and says so", async (_, answer) => {
    ends.smsir.script(answer)
    const { check } = await connected("sms", "smsir", workingSettings.smsir)
    expect(check).toMatch(/could not be asked/)
  })

  const mistaken = [
    ["lacks a setting", "telegram", "telegram_bot", {}, /token is missing/],
    [
      "has one too many",
      "telegram",
      "telegram_bot",
      { ...wrong.telegram, tokken: "Sesame0123456789" },
      /tokken is not a setting/
    ],
    ["has one of another type", "telegram", "telegram_bot", { token: 3_000_000_003 }, /token/],
    ["has a space in its token", "rubika", "rubika_bot", { token: "Sesame 0123456789" }, /token must be/],
    [
      "has two mistakes: it names both",
      "bale",
      "bale_safir",
      { api_key: "Sesame 0123456789" },
      /(?=.*api_key must)(?=.*bot_id is missing)/
    ],
    ["has a short secret", "rubika", "bridge", { url: "https://example.com", secret: "Sesame" }, /secret/],
    [
      "has an address that is none",
      "rubika",
      "bridge",
      { url: "Sesame0123456789", secret: BRIDGE_SECRET },
      /url/
    ]
  ] as const
  it.each(mistaken)("refuses settings in which it %s", (_, channel, provider, settings, says) =>
    refuses(() => connect(channel, provider, settings), says)
  )

  it("refuses settings that are no JSON, without repeating them", async () => {
    const given = connectArguments(customer.id, "telegram", "telegram_bot", {})
    const malformed = '{"token": "3000000003:Malformed0123456789'
    const { code, out, err } = await server.run(...given.map((each) => (each === "{}" ? malformed : each)))
    expect(code).not.toBe(0)
    expect(err).toMatch(/--settings|JSON/)
    expect(`${out}${err}`).not.toContain("Malformed0123456789")
  })

  it("refuses a channel that the provider does not serve", () =>
    refuses(() => connect("sms", "telegram_bot", workingSettings.telegram_bot), /telegram_bot.*sms/))

  it("refuses a provider that does not exist", () =>
    refuses(() => connect("sms", "pigeon", { token: "Sesame0123456789" }), /pigeon/))

  it("takes a bridge with its secret", async () => {
    const settings = { url: `${ends.bridge.url}/send`, secret: BRIDGE_SECRET }
    await connected("rubika", "bridge", settings)
    expect(ends.bridge.received).toEqual([])
  })

  it("takes Bale's Safir, and its account sends", async () => {
    const { credential_id: account_id } = await connected("bale", "bale_safir", workingSettings.bale_safir)
    const message = await messages(server, customer.live).delivered({
      channels: [{ channel: "bale", account_id }]
    })
    expect(message.status).toBe("sent")
  })
})

describe("the list of accounts", () => {
  it("has those that were connected, and none that was refused", async () => {
    const listed = (await accountsOf()).map(({ credential_id }) => credential_id)
    expect(listed.toSorted((a, b) => a - b)).toEqual(connectedIds.toSorted((a, b) => a - b))
    expect(listed.length).toBeGreaterThan(0)
  })
})

describe("the doctor", () => {
  it("reports each account, and fails when one is refused", async () => {
    const { code, out } = await run("doctor")
    expect(code).not.toBe(0)
    expect(out).toMatch(/18450\.5/)
    expect(out).toMatch(/@peyk_telegram_bot/)
    expect(out).toMatch(/telegram_bot.*refused: 401 Unauthorized/)
  })

  it("reports them to machines too", async () => {
    const { out } = await run("doctor", "--json")
    const { healthy, checks } = JSON.parse(out) as {
      readonly healthy: boolean
      readonly checks: ReadonlyArray<{ readonly ok: boolean; readonly finding: string }>
    }
    expect(healthy).toBe(false)
    expect(checks.filter(({ ok }) => !ok).map(({ finding }) => finding)).toEqual(
      expect.arrayContaining([expect.stringMatching(/telegram_bot.*401 Unauthorized/)])
    )
  })
})

/** The secret part of an account's settings: the part of a token behind its colon alone. */
const secrets = [
  ...[...Object.values(workingSettings), ...Object.values(wrong)].map((settings) =>
    "token" in settings ? settings.token.replace(/^\d+:/, "") : settings.api_key
  ),
  BRIDGE_SECRET.replace(/^whsec_/, ""),
  "Sesame"
]

describe("the settings of an account", () => {
  it("are in nothing that a command prints", async () => {
    await run("account", "list", "--customer", customer.id)
    await run("account", "list", "--customer", customer.id, "--json")
    const [first] = await accountsOf()
    const id = String(first?.credential_id)
    await run("account", "limits", "--account", id)
    await run("account", "disable", "--account", id)
    await run("account", "enable", "--account", id, "--json")
    const all = printed.join("\n")
    expect(all).toContain("telegram_bot of telegram")
    for (const secret of secrets) expect(all.includes(secret), `${secret} was printed`).toBe(false)
  })

  it("are in nothing that the server prints", () => {
    for (const secret of secrets) expect(server.output()).not.toContain(secret)
  })

  // The last test of the file: it stops the server.
  it.skipIf(hasOwnStore)(
    "are on no page of the store",
    async () => {
      // Values stored in clear, to show that this test looks in the right place.
      const plain = `plain-${newKey()}`
      const given = connectArguments(customer.id, "telegram", "telegram_bot", workingSettings.telegram_bot)
      await run(...given.map((argument) => (argument === "telegram_bot of telegram" ? plain : argument)))
      await server.terminate()
      const directory = join(server.dataDir, "postgres")
      const files = await readdir(directory, { recursive: true, withFileTypes: true })
      const found = new Set<string>()
      for (const file of files.filter((entry) => entry.isFile())) {
        const content = (await readFile(join(file.parentPath, file.name))).toString("latin1")
        for (const text of [plain, ...secrets]) if (content.includes(text)) found.add(text)
      }
      expect([...found]).toEqual([plain])
    },
    60_000
  )
})
