import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messages, newPhone, ok, otp, type Reply, request } from "../../contract/Client.ts"
import { codeOf, newAccount, simulated } from "../../contract/Operator.ts"
import { makeDataDir, type Running, startProcess, startServer, until } from "../../contract/Server.ts"
import { discard } from "../store/Postgres.ts"

/** What holds however many processes there are: four of them on one store. */
const env = {
  PEYK_LIMIT_PHONE_HOUR: "5",
  // A lease that lapses on a busy machine releases its money, and one send more is accepted.
  PEYK_LEASE_MS: "6000"
}

let dataDir: string
let servers: ReadonlyArray<Running>
beforeAll(async () => {
  dataDir = await makeDataDir()
  const first = await startServer({ env, dataDir })
  const others = await Promise.all([1, 2, 3].map(() => startProcess({ env, dataDir })))
  servers = [first, ...others]
})
afterAll(async () => {
  await Promise.all(servers?.map((server) => server.kill()) ?? [])
  await discard(dataDir)
})

const serverAt = (n: number) => {
  const server = servers[n % servers.length]
  if (server === undefined) throw new Error("there is no server")
  return server
}

const customerOn = async (plan: string) => {
  const made = (await serverAt(0).cli("customer", "create", "--name", plan, "--plan", plan)) as {
    readonly id: number
  }
  const id = String(made.id)
  const key = (await serverAt(0).cli("key", "create", "--customer", id, "--mode", "live")) as {
    readonly id: number
    readonly secret: string
  }
  return { id, secret: key.secret, keyId: String(key.id) }
}

const many = (count: number, call: (server: Running, n: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(serverAt(n), n)))

const tally = (replies: ReadonlyArray<Reply>) => {
  const codes: Record<string, number> = {}
  for (const { status, text } of replies) {
    const name = status < 300 ? "accepted" : (/"code":"(\w+)"/.exec(text)?.[1] ?? String(status))
    codes[name] = (codes[name] ?? 0) + 1
  }
  return codes
}

const walletOf = async (id: string) =>
  (await serverAt(0).cli("wallet", "show", "--customer", id)) as {
    readonly balance: number
    readonly held: number
    readonly available: number
    readonly currency: string
  }

const wallets = async () => {
  const { checks } = (await serverAt(0).cli("doctor")) as {
    readonly checks: ReadonlyArray<{ readonly check: string; readonly ok: boolean; readonly finding: string }>
  }
  return checks.find(({ check }) => check === "wallets")
}

describe("with four processes", () => {
  it("an account's sends are never closer than its gap, nor more than its rate", async () => {
    const { id, secret } = await customerOn("free")
    const account = await newAccount(serverAt(0), id, "sms")
    const pace = ["--gap-ms", "1000", "--per-minute", "5"]
    await serverAt(0).cli("account", "limits", "--account", String(account), ...pace)
    const phone = newPhone()
    const replies = await many(8, (server) => messages(server, secret).send({ to: phone, channels: "sms" }))
    expect(tally(replies)).toEqual({ accepted: 8 })
    const received = await until("what the rate allows to be sent", async () => {
      const now = await simulated(serverAt(0), phone)
      return now.length >= 5 ? now : undefined
    })
    expect(received).toHaveLength(5)
    const times = received.map(({ at }) => Temporal.Instant.from(at).epochMilliseconds)
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000)
    const ids = replies.map((reply) => ok<{ readonly message_id: string }>(reply, 201).message_id)
    const statuses = await Promise.all(ids.map((message) => messages(serverAt(0), secret).status(message)))
    expect(statuses.filter(({ status }) => status === "queued")).toHaveLength(3)
  })

  it("a phone's limit admits exactly as many codes as it says, of ten times as many at once", async () => {
    const { id, secret } = await customerOn("free")
    await newAccount(serverAt(0), id, "sms")
    const phone = newPhone()
    const replies = await many(50, (server) => otp(server, secret).send({ phone, channels: "sms" }))
    expect(tally(replies)).toEqual({ accepted: 5, too_many_requests_phone_hour: 45 })
    expect(await simulated(serverAt(0), phone)).toHaveLength(5)
  })

  it("a quota admits exactly as many requests as it says, of ten times as many at once", async () => {
    const { id, secret } = await customerOn("free")
    await newAccount(serverAt(0), id, "sms")
    await serverAt(0).cli("customer", "limits", "--customer", id, "--set", "monthly_quota=6")
    const replies = await many(60, (server, n) =>
      n % 2 === 0 ? otp(server, secret).send({ channels: "sms" }) : messages(server, secret).send()
    )
    expect(tally(replies)).toEqual({ accepted: 6, quota_exceeded: 54 })
  })

  it("a key's minute never admits more than it says, and with enough requests exactly that", async () => {
    const { secret, keyId } = await customerOn("free")
    await serverAt(0).cli("key", "limit", "--key", keyId, "--per-minute", "50")
    const replies = await many(500, (server) =>
      otp(server, secret).read("01890a5d-ac96-774b-bcce-b302099a8057")
    )
    expect(tally(replies)).toEqual({ not_found: 50, too_many_requests_api_key: 450 })
  })

  it("a wallet that covers 7 sends accepts exactly 7 of 70, and ends with the rest", async () => {
    const { id, secret } = await customerOn("business")
    await newAccount(serverAt(0), id, "bale")
    expect(await serverAt(0).cli("wallet", "top-up", "--customer", id, "--amount", "7500")).toEqual({
      balance: 7500,
      held: 0,
      available: 7500,
      currency: "IRR"
    })
    const replies = await many(70, (server, n) =>
      n % 2 === 0
        ? otp(server, secret).send({ channels: "bale" })
        : messages(server, secret).send({ channels: "bale" })
    )
    expect(tally(replies)).toEqual({ accepted: 7, insufficient_balance: 63 })
    const wallet = await until("nothing to be held", async () => {
      const now = await walletOf(id)
      return now.held === 0 ? now : undefined
    })
    expect(wallet).toEqual({ balance: 500, held: 0, available: 500, currency: "IRR" })
    expect(await wallets()).toMatchObject({ ok: true })
  })

  it("a code that is canceled and entered at once is one of both, at whichever processes, and is paid once", async () => {
    const { id, secret } = await customerOn("business")
    await newAccount(serverAt(0), id, "bale")
    await serverAt(0).cli("wallet", "top-up", "--customer", id, "--amount", "100000")
    const rounds = 20
    const ended = await Promise.all(
      Array.from({ length: rounds }, async (_, n) => {
        const phone = newPhone()
        const { verification_id } = await otp(serverAt(n), secret).sent({ phone, channels: "bale" })
        const code = await codeOf(serverAt(0), phone)
        const at = (place: number) => otp(serverAt(n + place), secret)
        const cancel = (place: number) => at(place).post(`/${verification_id}/cancel`, {})
        const [first, entered, second] = await Promise.all([
          cancel(1),
          at(2).outcome(verification_id, code),
          cancel(3)
        ])
        const { status } = await at(0).status(verification_id)
        expect([first.status, second.status]).toEqual(entered.verified ? [409, 409] : [200, 200])
        expect(status).toBe(entered.verified ? "verified" : "canceled")
        return status
      })
    )
    expect(ended).toHaveLength(rounds)
    expect(await walletOf(id)).toMatchObject({ balance: 100_000 - rounds * 1000, held: 0 })
    expect(await wallets()).toMatchObject({ ok: true })
  })

  it("a message that is canceled when it is due is sent or canceled, and paid only if it was sent", async () => {
    const { id, secret } = await customerOn("business")
    await newAccount(serverAt(0), id, "bale")
    await serverAt(0).cli("wallet", "top-up", "--customer", id, "--amount", "100000")
    const made = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const to = newPhone()
        const api = messages(serverAt(n), secret)
        return { to, ...(await api.created({ to, channels: "bale", delay: "1s" })) }
      })
    )
    await until("the first message to be sent", async () => {
      const received = await Promise.all(made.map(({ to }) => simulated(serverAt(0), to)))
      return received.some(({ length }) => length > 0) ? true : undefined
    })
    const canceled = await Promise.all(
      made.map(({ message_id }) =>
        many(2, (server) =>
          request(server, "POST", `/v1/messages/${message_id}/cancel`, { headers: { "x-api-key": secret } })
        )
      )
    )
    const ended = await Promise.all(
      made.map(({ message_id }) => messages(serverAt(0), secret).completed(message_id))
    )
    for (const [n, { status }] of ended.entries()) {
      const received = await simulated(serverAt(0), made[n]?.to ?? "")
      expect([status, received.length]).toEqual(received.length === 0 ? ["canceled", 0] : ["sent", 1])
      expect(canceled[n]?.some((reply) => reply.status === 200)).toBe(status === "canceled")
    }
    const sent = ended.filter(({ status }) => status === "sent").length
    expect(sent).toBeGreaterThan(0)
    expect(await walletOf(id)).toMatchObject({ balance: 100_000 - sent * 1000, held: 0 })
    expect(await wallets()).toMatchObject({ ok: true })
  })

  it("money adds up after a process was killed in the middle, once what it held is settled", async () => {
    const { id, secret } = await customerOn("business")
    await newAccount(serverAt(0), id, "bale", { settings: { latency_ms: 4000 } })
    await serverAt(0).cli("wallet", "top-up", "--customer", id, "--amount", "100000")
    const last = serverAt(3)
    const cut = Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        messages(serverAt(n), secret)
          .send({ channels: "bale" })
          .catch(() => undefined)
      )
    )
    await until("something to be held", async () => ((await walletOf(id)).held > 0 ? true : undefined))
    await last.kill()
    servers = servers.slice(0, 3)
    const replies = await cut
    const ids = replies.flatMap((reply) =>
      reply?.status === 201 ? [ok<{ readonly message_id: string }>(reply, 201).message_id] : []
    )
    const api = messages(serverAt(0), secret)
    const ended = await Promise.all(ids.map((messageId) => api.completed(messageId)))
    const wallet = await until(
      "nothing to be held",
      async () => {
        const now = await walletOf(id)
        return now.held === 0 ? now : undefined
      },
      30_000
    )
    const sent = ended.filter(({ status }) => status === "sent").length
    expect(wallet.balance).toBeLessThanOrEqual(100_000 - sent * 1000)
    expect(wallet.balance % 1000).toBe(0)
    expect(await wallets()).toMatchObject({ ok: true })
  }, 90_000)
})
