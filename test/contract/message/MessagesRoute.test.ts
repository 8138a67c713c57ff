import { beforeAll, describe, expect, it } from "vitest"
import { messages, newPhone, refused } from "../Client.ts"
import { newAccount, newCustomer, simulated } from "../Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

let server: SharedServer
let owner: ReturnType<typeof messages>
/** One account of bale and of sms, two of eitaa without a default, two of rubika with one, a disabled soroushplus. */
const accounts = { bale: 0, sms: 0, eitaa: 0, eitaaToo: 0, rubika: 0, rubikaDefault: 0, soroushplus: 0 }
let strangers: number
/** The live key of a customer without accounts. */
let bare: string

beforeAll(async () => {
  server = await sharedServerWithDemo()
  const customer = await newCustomer(server)
  owner = messages(server, customer.live)
  const connected = async (name: keyof typeof accounts, channel: string, isDefault = false) => {
    accounts[name] = await newAccount(server, customer.id, channel, { label: name, isDefault })
  }
  await Promise.all([
    connected("bale", "bale"),
    connected("sms", "sms"),
    connected("eitaa", "eitaa"),
    connected("eitaaToo", "eitaa"),
    connected("rubika", "rubika"),
    connected("soroushplus", "soroushplus")
  ])
  await Promise.all([
    connected("rubikaDefault", "rubika", true),
    server.cli("account", "disable", "--account", String(accounts.soroushplus)),
    newCustomer(server).then(({ live }) => {
      bare = live
    })
  ])
  strangers = await newAccount(server, server.demo.customer_id.toString(), "telegram")
})

const later = { delay: "20d" }
const rubikas = () => [
  { channel: "rubika", account_id: accounts.rubika },
  { channel: "rubika", account_id: accounts.rubikaDefault }
]

describe("the channels of a message", () => {
  const first = async (channels: unknown) => (await owner.created({ ...later, channels })).current_channel

  it("may be one name", async () => {
    expect(await first("sms")).toEqual({
      type: "sms",
      provider: "simulator",
      credential_id: accounts.sms,
      label: "sms"
    })
  })

  it("may be a list of names", async () => {
    expect(await first(["bale", "sms"])).toEqual({
      type: "messenger",
      provider: "bale",
      credential_id: accounts.bale,
      label: "bale"
    })
  })

  it("may be a list of objects, with and without an account", async () => {
    const channels = [{ channel: "eitaa", account_id: accounts.eitaaToo }, { channel: "bale" }]
    expect(await first(channels)).toMatchObject({ provider: "eitaa", credential_id: accounts.eitaaToo })
    expect(await first(channels.toReversed())).toMatchObject({ credential_id: accounts.bale })
  })

  it("may be names and objects together", async () => {
    const channels = ["sms", { channel: "eitaa", account_id: accounts.eitaa }, "bale", { channel: "rubika" }]
    expect(await first(channels)).toMatchObject({ credential_id: accounts.sms })
    expect(await first(channels.toReversed())).toMatchObject({ credential_id: accounts.rubikaDefault })
  })

  it.each(["eitaa", "bale", "soroushplus", "rubika", "telegram", "sms"])("may be %s", async (channel) => {
    const phone = newPhone()
    const demo = messages(server, server.demo.live_key)
    const channels = channel === "telegram" ? [{ channel, account_id: strangers }] : channel
    const { attempts } = await demo.delivered({ to: phone, channels })
    expect(attempts).toMatchObject([
      channel === "sms"
        ? { channel: { type: "sms", provider: "simulator" } }
        : { channel: { type: "messenger", provider: channel } }
    ])
    expect(await simulated(server, phone)).toMatchObject([{ phone, channel, text: "سلام" }])
  })
})

describe("the account of a route", () => {
  const used = async (channels: unknown) => {
    const { attempts } = await owner.delivered({ channels })
    return attempts.map(({ channel }) => channel.credential_id)
  }

  it("is the only active one of the channel", async () => {
    expect(await used("bale")).toEqual([accounts.bale])
  })

  it("is the default one of several", async () => {
    expect(await used(["rubika"])).toEqual([accounts.rubikaDefault])
  })

  it("is the one with the given account_id, be another the default or not", async () => {
    expect(await used([{ channel: "rubika", account_id: accounts.rubika }])).toEqual([accounts.rubika])
    expect(await used([{ channel: "eitaa", account_id: accounts.eitaa }])).toEqual([accounts.eitaa])
  })

  it("may be another one of the same channel in a later route", async () => {
    const { attempts } = await owner.delivered({ channels: rubikas(), strategy: "broadcast" })
    expect(attempts.map(({ channel }) => channel.credential_id)).toEqual([
      accounts.rubika,
      accounts.rubikaDefault
    ])
  })
})

describe("a route is refused with", () => {
  it.each([undefined, null, "", []])("channels_required for the channels %j", async (channels) => {
    refused(await owner.send({ channels }), 422, "channels_required")
  })

  it.each(["fax", "SMS", "Bale", "sms,bale", "__proto__", "constructor", "shared"])(
    "invalid_channel for the name %j",
    async (name) => {
      refused(await owner.send({ channels: name }), 422, "invalid_channel")
      refused(await owner.send({ channels: ["sms", name] }), 422, "invalid_channel")
      refused(await owner.send({ channels: [{ channel: name }] }), 422, "invalid_channel")
    }
  )

  it("channel_unavailable when the channel has no account", async () => {
    refused(await owner.send({ channels: "telegram" }), 422, "channel_unavailable")
    refused(await owner.send({ channels: ["sms", "telegram"] }), 422, "channel_unavailable")
  })

  it("channel_unavailable when the channel's account is switched off", async () => {
    refused(await owner.send({ channels: "soroushplus" }), 422, "channel_unavailable")
    refused(await owner.send({ channels: [{ channel: "soroushplus" }, "sms"] }), 422, "channel_unavailable")
  })

  it("channel_unavailable when the account that is named is switched off", async () => {
    const channels = [{ channel: "soroushplus", account_id: accounts.soroushplus }]
    refused(await owner.send({ channels }), 422, "channel_unavailable")
  })

  it("channel_unavailable when the customer has no account at all", async () => {
    refused(await messages(server, bare).send({ channels: "sms" }), 422, "channel_unavailable")
  })

  it("channel_ambiguous when several accounts are active and none is the default", async () => {
    refused(await owner.send({ channels: "eitaa" }), 422, "channel_ambiguous")
    refused(await owner.send({ channels: ["sms", { channel: "eitaa" }] }), 422, "channel_ambiguous")
  })

  it.each([987_654_321, 99_999_999_999, Number.MAX_SAFE_INTEGER])(
    "channel_account_not_found for the unknown account %d",
    async (account_id) => {
      const channels = ["sms", { channel: "bale", account_id }]
      refused(await owner.send({ channels }), 404, "channel_account_not_found")
    }
  )

  it("channel_account_not_found for another customer's account, of the channel or not", async () => {
    for (const channel of ["telegram", "bale"]) {
      const channels = [{ channel, account_id: strangers }]
      refused(await owner.send({ channels }), 404, "channel_account_not_found")
    }
  })

  it("channel_account_mismatch for an account of another channel", async () => {
    const channels = [{ channel: "bale", account_id: accounts.sms }]
    refused(await owner.send({ channels }), 422, "channel_account_mismatch")
  })

  it.each(["failover", "broadcast"])(
    "duplicate_channel for a name that comes twice (%s)",
    async (strategy) => {
      refused(await owner.send({ channels: ["bale", "bale"], strategy }), 422, "duplicate_channel")
      refused(await owner.send({ channels: ["bale", "sms", "bale"], strategy }), 422, "duplicate_channel")
      const channels = ["bale", { channel: "bale" }]
      refused(await owner.send({ channels, strategy }), 422, "duplicate_channel")
    }
  )

  it("duplicate_channel for an account that comes twice by its id", async () => {
    const [one] = rubikas()
    refused(await owner.send({ channels: [one, "sms", one] }), 422, "duplicate_channel")
  })

  it("duplicate_channel for an account that comes by its id and as the channel's own", async () => {
    const [, byId] = rubikas()
    refused(await owner.send({ channels: ["rubika", byId] }), 422, "duplicate_channel")
    refused(await owner.send({ channels: [byId, { channel: "rubika" }] }), 422, "duplicate_channel")
    const channels = ["bale", { channel: "bale", account_id: accounts.bale }]
    refused(await owner.send({ channels }), 422, "duplicate_channel")
  })
})
