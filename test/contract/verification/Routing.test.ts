import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { issues, ok, otp, refused, type Sent } from "../Client.ts"
import { type Customer, customerWith, newAccount, newCustomer, newSharedAccount } from "../Operator.ts"
import { type Server, startServer, until } from "../Server.ts"

let server: Server
/** One account of bale and of sms, two of eitaa without a default, two of rubika with one; no routing. */
let customer: Customer
let owner: ReturnType<typeof otp>
const accounts = { bale: 0, sms: 0, eitaa: 0, rubika: 0, rubikaDefault: 0, soroushplus: 0, strangers: 0 }

beforeAll(async () => {
  server = await startServer()
  const connected = async (name: keyof typeof accounts, of: Customer, channel: string, isDefault = false) => {
    accounts[name] = await newAccount(server, of.id, channel, { label: name, isDefault })
  }
  const stranger = await newCustomer(server)
  customer = await newCustomer(server)
  owner = otp(server, customer.live)
  await Promise.all([
    connected("bale", customer, "bale"),
    connected("sms", customer, "sms"),
    connected("eitaa", customer, "eitaa"),
    newAccount(server, customer.id, "eitaa", { label: "another eitaa" }),
    connected("rubika", customer, "rubika"),
    connected("soroushplus", customer, "soroushplus"),
    connected("strangers", stranger, "bale")
  ])
  await connected("rubikaDefault", customer, "rubika", true)
  await server.cli("account", "disable", "--account", String(accounts.soroushplus))
})
afterAll(() => server?.stop())

describe("the route of a send is refused with", () => {
  it("fallback_order_required when no channels are given and no order is saved", async () => {
    refused(await owner.send(), 422, "fallback_order_required")
  })

  it("no_credentials when the customer has no account at all", async () => {
    const bare = await newCustomer(server)
    refused(await otp(server, bare.live).send({ channels: "bale" }), 422, "no_credentials")
  })

  it.each(["fax", "telegram", "Bale"])("invalid_channel for the name %j", async (name) => {
    refused(await owner.send({ channels: name }), 422, "invalid_channel")
    refused(await owner.send({ channels: ["sms", name] }), 422, "invalid_channel")
    refused(await owner.send({ channels: [{ channel: name }] }), 422, "invalid_channel")
  })

  it("invalid_channel for an sms provider nobody knows", async () => {
    refused(await owner.send({ channels: [{ channel: "sms", provider: "pigeon" }] }), 422, "invalid_channel")
  })

  it("channel_unavailable when no account of the channel is active", async () => {
    refused(await owner.send({ channels: "soroushplus" }), 422, "channel_unavailable")
    refused(await owner.send({ channels: ["bale", "soroushplus"] }), 422, "channel_unavailable")
  })

  it("channel_unavailable when the customer has no sms account of the provider", async () => {
    refused(
      await owner.send({ channels: [{ channel: "sms", provider: "smsir" }] }),
      422,
      "channel_unavailable"
    )
  })

  it("channel_ambiguous when several accounts are active and none is the default", async () => {
    refused(await owner.send({ channels: "eitaa" }), 422, "channel_ambiguous")
  })

  it.each([987_654_321, 99_999_999_999])(
    "channel_account_not_found for the unknown account %d",
    async (id) => {
      const channels = [{ channel: "bale", account_id: id }]
      refused(await owner.send({ channels }), 404, "channel_account_not_found")
    }
  )

  it("channel_account_not_found for another customer's account", async () => {
    const channels = [{ channel: "bale", account_id: accounts.strangers }]
    refused(await owner.send({ channels }), 404, "channel_account_not_found")
  })

  it("channel_account_mismatch for an account of another channel", async () => {
    const channels = [{ channel: "bale", account_id: accounts.sms }]
    refused(await owner.send({ channels }), 422, "channel_account_mismatch")
  })

  it("duplicate_channel for a channel that appears twice, even with different accounts", async () => {
    refused(await owner.send({ channels: ["bale", "sms", "bale"] }), 422, "duplicate_channel")
    const channels = [
      { channel: "rubika", account_id: accounts.rubika },
      { channel: "rubika", account_id: accounts.rubikaDefault }
    ]
    refused(await owner.send({ channels }), 422, "duplicate_channel")
  })

  it.each([999_999, "999999", 99_999_999_999])(
    "template_not_found for the template %j",
    async (template_id) => {
      refused(await owner.send({ channels: "bale", template_id }), 404, "template_not_found")
    }
  )
})

describe("the route of a send is refused with validation_error for", () => {
  it.each([44, 121, 0, -60, 60.5, "60", true])("the channel_timeout %j", async (channel_timeout) => {
    const reply = await owner.send({ channels: "bale", channel_timeout })
    expect(issues(reply)).toEqual(["body.channel_timeout"])
  })

  it.each([44, 121, 0, -60, "60"])("the wait %j", async (wait) => {
    const reply = await owner.send({ channels: [{ channel: "bale" }, { channel: "sms", wait }] })
    expect(issues(reply)).toEqual(["body.channels[1].wait"])
  })

  it("no channel in the list", async () => {
    expect(issues(await owner.send({ channels: [] }))).toEqual(["body.channels"])
    const many = Array.from({ length: 21 }, (_, n) => ({ channel: "sms", provider: `p${n}` }))
    expect(issues(await owner.send({ channels: many }))).toEqual(["body.channels"])
  })

  it.each([7, true, {}])("channels that are %j", async (channels) => {
    issues(await owner.send({ channels }))
  })

  it("an object without a channel", async () => {
    issues(await owner.send({ channels: [{ wait: 60 }] }))
  })

  it("a provider on a channel other than sms", async () => {
    issues(await owner.send({ channels: [{ channel: "bale", provider: "smsir" }] }))
  })

  it("the shared sender on sms", async () => {
    issues(await otp(server, server.demo.live_key).send({ channels: [{ channel: "sms", sender: "shared" }] }))
  })

  it.each(["abc", 0, -5, 1.5, "0x10", true])("the template_id %j", async (template_id) => {
    expect(issues(await owner.send({ channels: "bale", template_id }))).toEqual(["body.template_id"])
  })
})

describe("the account of a step", () => {
  const chosen = async (step: Readonly<Record<string, unknown>>) =>
    (await owner.sent({ channels: [step] })).current_attempt_channel.credential_id

  it("is the only active one of the channel", async () => {
    expect(await chosen({ channel: "bale" })).toBe(accounts.bale)
  })

  it("is the default one of several", async () => {
    expect(await chosen({ channel: "rubika" })).toBe(accounts.rubikaDefault)
  })

  it("is the one with the given account_id", async () => {
    expect(await chosen({ channel: "rubika", account_id: accounts.rubika })).toBe(accounts.rubika)
    expect(await chosen({ channel: "eitaa", account_id: accounts.eitaa })).toBe(accounts.eitaa)
  })

  it("is the one of the given sms provider", async () => {
    expect(await chosen({ channel: "sms", provider: "simulator" })).toBe(accounts.sms)
  })
})

describe("the saved routing order", () => {
  it("is used, with its waits, when no channels are given, and only then", async () => {
    const saved = await customerWith(server, { eitaa: {}, bale: {}, sms: {} })
    const steps = [{ channel: "eitaa", wait: 45 }, { channel: "sms" }]
    await server.cli("routing", "set", "--customer", saved.id, "--steps", JSON.stringify(steps))
    const api = otp(server, saved.live)
    const sent = await api.sent()
    expect(sent.current_attempt_channel.provider).toBe("eitaa")
    const { remaining_seconds } = await api.status(sent.verification_id)
    expect(remaining_seconds).toBeLessThanOrEqual(45)
    expect(remaining_seconds).toBeGreaterThan(30)
    expect((await api.sent({ channels: "bale" })).current_attempt_channel.provider).toBe("bale")
  })

  it("gives way in its waits to the request's channel_timeout, which gives way to a channel object's wait", async () => {
    const saved = await customerWith(server, { eitaa: {}, sms: {} })
    const steps = [{ channel: "eitaa", wait: 45 }, { channel: "sms" }]
    await server.cli("routing", "set", "--customer", saved.id, "--steps", JSON.stringify(steps))
    const api = otp(server, saved.live)
    const waitOf = async (body: Readonly<Record<string, unknown>>) => {
      const { verification_id } = await api.sent(body)
      return (await api.status(verification_id)).remaining_seconds
    }
    const expectWait = async (body: Readonly<Record<string, unknown>>, seconds: number) => {
      const remaining = await waitOf(body)
      expect(remaining).toBeLessThanOrEqual(seconds)
      expect(remaining).toBeGreaterThan(seconds - 15)
    }
    await expectWait({ channel_timeout: 120 }, 120)
    await expectWait({ channel_timeout: 120, channels: [{ channel: "eitaa", wait: 45 }, "sms"] }, 45)
    await expectWait({ channel_timeout: 120, channels: ["eitaa", "sms"] }, 120)
    await expectWait({ channels: ["eitaa", "sms"] }, 60)
  })
})

describe("the shared sender", () => {
  const shared = (channel: string) => ({ channels: [{ channel, sender: "shared" }] })

  it.each(["free", "business"] as const)("is not allowed on the %s plan", async (plan) => {
    const other = await newCustomer(server, plan)
    await newAccount(server, other.id, "bale")
    refused(await otp(server, other.live).send(shared("bale")), 403, "shared_sender_not_allowed")
  })

  it("is unavailable on the start plan while the platform has no account of the messenger", async () => {
    const reply = await otp(server, server.demo.live_key).send(shared("rubika"))
    refused(reply, 503, "shared_sender_unavailable")
  })

  it("sends through the platform's account, which the answer does not identify", async () => {
    await newSharedAccount(server, "eitaa")
    const sent = await until("the shared account to be usable", async () => {
      const reply = await otp(server, server.demo.live_key).send(shared("eitaa"))
      return reply.status === 503 ? undefined : ok<Sent>(reply)
    })
    expect(sent).toMatchObject({
      status: "queued",
      current_attempt_channel: {
        type: "messenger",
        provider: "eitaa",
        credential_id: null,
        label: "Shared (eitaa)"
      }
    })
  })
})
