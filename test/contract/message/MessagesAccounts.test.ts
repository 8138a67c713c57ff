import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messages, newPhone } from "../Client.ts"
import { newAccount, simulated } from "../Operator.ts"
import { type Server, startServer } from "../Server.ts"

let server: Server
let live: ReturnType<typeof messages>
/** The route over an account whose provider answered "slow down" a moment ago. */
let cooling: { readonly channel: string; readonly account_id: number }
beforeAll(async () => {
  server = await startServer({ env: { PEYK_MESSAGE_PATIENCE_MS: "2000", PEYK_ACCOUNT_GAP_MS: "1000" } })
  live = messages(server, server.demo.live_key)
  const settings = { outcome: "throttled" }
  const account_id = await newAccount(server, String(server.demo.customer_id), "rubika", { settings })
  cooling = { channel: "rubika", account_id }
  await live.delivered({ channels: [cooling] })
})
afterAll(() => server?.stop())

const epoch = (time: string | null | undefined) => Temporal.Instant.from(time ?? "null").epochMilliseconds

describe("an account that cools down after a provider's 'slow down'", () => {
  it("is not attempted: failover takes the next route", async () => {
    const phone = newPhone()
    const { attempts, status } = await live.delivered({ to: phone, channels: [cooling, "sms"] })
    expect(status).toBe("sent")
    expect(attempts).toMatchObject([{ channel: { type: "sms" }, status: "sent" }])
    expect(await simulated(server, phone)).toHaveLength(1)
  })

  it("makes a message with no other route fail with account_unavailable when patience ran out", async () => {
    const message = await live.delivered({ channels: [cooling] }, 20_000)
    expect(message).toMatchObject({ status: "failed", successful_attempts: 0 })
    expect(message.attempts.at(-1)?.error_code).toBe("account_unavailable")
    expect(epoch(message.completed_at) - epoch(message.created_at)).toBeGreaterThanOrEqual(1_900)
  })
})

describe("the minimum gap of an account", () => {
  it("keeps two messages over it a second apart", async () => {
    const both = await Promise.all([
      live.delivered({ channels: "soroushplus" }),
      live.delivered({ channels: "soroushplus" })
    ])
    const [first, second] = both
      .map(({ attempts }) => epoch(attempts.at(0)?.attempted_at))
      .toSorted((a, b) => a - b)
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(950)
  })
})
