import { randomBytes } from "node:crypto"
import { chmodSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "../../../bench/ha/Cluster.ts"
import { whyNoCluster } from "../../../bench/ha/Packages.ts"
import { ok, otp, type Outcome, refused } from "../../contract/Client.ts"
import { type Customer, customerWith, sentCode } from "../../contract/Operator.ts"
import { makeDataDir, type Running, startProcess, until } from "../../contract/Server.ts"
import { discard } from "./Postgres.ts"

const why = whyNoCluster()
if (why !== null) console.warn(`\nThe test with a cluster of PostgreSQL is SKIPPED: ${why}.\n`)

describe.runIf(why === null)("on a cluster under Patroni, behind HAProxy", () => {
  const stops: Array<() => Promise<unknown>> = []
  let directory: string
  let cluster: Cluster
  let server: Running
  let customer: Customer

  beforeAll(async () => {
    directory = await makeDataDir()
    // PostgreSQL does not run as root, and has to get there
    chmodSync(directory, 0o755)
    cluster = await startCluster(directory, (stop) => void stops.push(stop))
    server = await startProcess({
      env: {
        DATABASE_URL: cluster.urlOf(cluster.haproxyPort),
        PEYK_SECRET: randomBytes(32).toString("base64"),
        PEYK_SIMULATOR: "true",
        PEYK_FREE_MONTHLY_QUOTA: "0"
      }
    })
    customer = await customerWith(server, { sms: {} })
  })
  afterAll(async () => {
    await server?.stop()
    for (const stop of stops.toReversed()) await stop()
    await discard(directory)
  })

  it("what was accepted is there after the primary was killed, and sends only wait for the new one", async () => {
    const client = otp(server, customer.live)
    const before = await sentCode(server, customer.live)
    const { primary } = await cluster.whole()

    const others = cluster.members.filter((member) => member !== primary)
    const isReplaced = async () => (await Promise.all(others.map((each) => each.isPrimary()))).includes(true)

    process.kill(primary.postmaster() ?? Number.NaN, "SIGKILL")

    await until(
      "sends to work on another primary",
      async () => {
        const wasReplaced = await isReplaced()
        const reply = await client.send({ channels: "sms" })
        if (reply.status === 200) return wasReplaced ? true : undefined
        refused(reply, 503, "service_unavailable")
        expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
        return undefined
      },
      60_000
    )
    expect(ok<Outcome>(await client.verify(before.id, before.code)).verified).toBe(true)
  }, 120_000)
})
