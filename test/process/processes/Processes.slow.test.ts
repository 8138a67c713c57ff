import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { sentCode } from "../../contract/Operator.ts"
import { otp, request } from "../../contract/Client.ts"
import { hasOwnStore } from "../../contract/OwnStore.ts"
import { parseExposition } from "../../contract/Exposition.ts"
import {
  makeDataDir,
  neutralEnvironment,
  runProgram,
  type Server,
  startServer,
  until
} from "../../contract/Server.ts"
import { keepAsking } from "../load/KeepAlive.ts"
import { discard, isRunning, postmasterPid } from "../store/Postgres.ts"

let server: Server
beforeAll(async () => {
  // an empty store: two processes make their first start on it
  const dataDir = await makeDataDir()
  server = await startServer({ dataDir, env: { PEYK_PROCESSES: "2", PEYK_LEASE_MS: "1000" } })
})
afterAll(async () => {
  await server?.kill()
  if (server !== undefined) await discard(server.dataDir)
})

const SERVES = /process (\d) serves \(pid (\d+)\)/g

/** The number and pid of each process that ever served, in their order. */
const served = () =>
  [...server.output().matchAll(SERVES)].map(([, number, pid]) => [Number(number), Number(pid)] as const)
const pidsNow = () => [...new Map(served()).values()]
const untilServed = (count: number) =>
  until(
    `${count} processes to have served`,
    async () => (served().length >= count ? true : undefined),
    30_000
  )

describe("peyk serve with PEYK_PROCESSES=2", () => {
  it("runs two processes, and says once where they listen", async () => {
    await untilServed(2)
    expect(new Set(served().map(([number]) => number))).toEqual(new Set([1, 2]))
    await until("the welcome", async () => (/Peyk listens on/.test(server.output()) ? true : undefined))
    expect(server.output().match(/Peyk listens on/g)).toHaveLength(1)
    // only an embedded store gets one by itself
    expect(server.output().match(/A demo customer was created/g) ?? []).toHaveLength(hasOwnStore ? 0 : 1)
  })

  it("makes one demo customer", async () => {
    expect(await server.cli("customer", "list")).toMatchObject({ data: [{ id: server.demo.customer_id }] })
  })

  it("sends and verifies, whichever of them is asked", async () => {
    for (let turn = 0; turn < 8; turn++) {
      const { id, code } = await sentCode(server, server.demo.live_key)
      expect(await otp(server, server.demo.live_key).outcome(id, code)).toMatchObject({ verified: true })
    }
  })

  it("returns the metrics of both, whichever of them is asked", async () => {
    for (let turn = 0; turn < 8; turn++) {
      const { samples } = parseExposition((await request(server, "GET", "/metrics")).text)
      const limits = samples.filter(({ name }) => name === "peyk_http_requests_in_flight_limit")
      expect(limits.map(({ labels }) => labels["process"]).toSorted()).toEqual(["1", "2"])
      const asked = samples.filter(({ name, value }) => name === "peyk_http_requests_in_flight" && value > 0)
      expect(asked).toHaveLength(1)
    }
  })

  it("starts a process again that was killed, and serves meanwhile", async () => {
    const [first = 0, second = 0] = pidsNow()
    process.kill(first, "SIGKILL")
    await until("the death to be noticed", async () =>
      /died: SIGKILL/.test(server.output()) ? true : undefined
    )
    await untilServed(3)
    expect(isRunning(second)).toBe(true)
    expect(pidsNow()).not.toContain(first)
    await sentCode(server, server.demo.live_key)
  }, 60_000)

  it("replaces the processes on SIGHUP, and no request fails", async () => {
    const before = pidsNow()
    const asking = keepAsking(`${server.url}/healthz`, 20)
    process.kill(server.pid, "SIGHUP")
    await until(
      "the end of it",
      async () => (/all processes are replaced/.test(server.output()) ? true : undefined),
      60_000
    )
    expect(await asking.end()).toEqual({ statuses: [200], errors: [] })
    expect(before.filter(isRunning)).toEqual([])
    expect(pidsNow().filter(isRunning)).toHaveLength(2)
  }, 90_000)

  it("refuses a port on which somebody listens already", async () => {
    const env = { ...neutralEnvironment(), PEYK_DATA_DIR: server.dataDir, PEYK_PROCESSES: "2" }
    const { code, err } = await runProgram({ ...env, PEYK_PORT: String(server.port) }, ["serve"])
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot listen on .*PEYK_PORT/)
    })
  }, 60_000)

  it("ends with exit code 0 on SIGTERM, and takes all its processes and PostgreSQL along", async () => {
    const pids = pidsNow()
    const postmaster = (await postmasterPid(server.dataDir)) ?? 0
    expect(await server.terminate()).toBe(0)
    expect([...pids, postmaster].filter(isRunning)).toEqual([])
    server = await server.restart()
  }, 60_000)

  it("leaves no process behind when the supervisor is killed", async () => {
    await untilServed(2)
    const pids = pidsNow()
    await server.kill()
    await until("them to end", async () => (pids.some(isRunning) ? undefined : true), 30_000)
    expect(await postmasterPid(server.dataDir)).toBeUndefined()
  }, 60_000)
})

describe("of several processes", () => {
  let hanging: Server
  beforeAll(async () => {
    hanging = await startServer({ env: { PEYK_PROCESSES: "2", PEYK_HANG_MS: "3000" } })
  })
  afterAll(async () => {
    await hanging?.kill()
    if (hanging !== undefined) await discard(hanging.dataDir)
  })

  it("one that hangs is killed, and started again", async () => {
    const output = () => hanging.output()
    await until(
      "both to serve",
      async () => (output().match(SERVES)?.length === 2 ? true : undefined),
      30_000
    )
    const [, number, pid] = [...output().matchAll(SERVES)][0] ?? []
    process.kill(Number(pid), "SIGSTOP")
    await until(
      "it to be started again",
      async () => (output().match(SERVES)?.length === 3 ? true : undefined),
      60_000
    )
    expect(output()).toContain(`process ${number} (pid ${pid}) has not answered for 3000 ms; it is killed`)
    expect(output()).toContain(`process ${number} (pid ${pid}) died: SIGKILL; it is started again`)
    expect(isRunning(Number(pid))).toBe(false)
  }, 90_000)
})

describe("PEYK_PROCESSES", () => {
  it.each(["0", "many", "257"])("of %s stops the start", async (count) => {
    const env = { ...neutralEnvironment(), PEYK_PORT: String(await freePort()), PEYK_PROCESSES: count }
    const { code, err } = await runProgram(env, ["serve"])
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("PEYK_PROCESSES") })
  })
})
