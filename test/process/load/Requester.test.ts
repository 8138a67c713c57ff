/** The benchmark's own load, against a server that stalls. */
import { assert, it } from "@effect/vitest"
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Recording } from "../../../bench/Recording.ts"
import type { RequesterJob } from "../../../bench/requester.ts"

const requester = fileURLToPath(new URL("../../../bench/requester.ts", import.meta.url))

const STALL_MILLIS = 500

/** What the requester recorded, and how many connections it opened. The nth request of all stalls the server. */
const record = async (
  job: Partial<RequesterJob>,
  { paths = ["/"], stallsAt = Infinity }: { paths?: ReadonlyArray<string>; stallsAt?: number } = {}
) => {
  const directory = mkdtempSync(join(tmpdir(), "requester-"))
  let served = 0
  let opened = 0
  let stalled: Promise<void> = Promise.resolve()
  const server = createServer(async (request, response) => {
    request.resume()
    served += 1
    if (served === stallsAt) stalled = pause(STALL_MILLIS)
    await stalled
    if (request.url === "/refused") response.writeHead(503, { "content-length": 0 }).end()
    else if (request.url === "/broken") request.socket.destroy()
    else response.writeHead(200, { "content-type": "text/plain" }).end("hello")
  })
  server.on("connection", () => (opened += 1))
  await once(server.listen(0, "127.0.0.1"), "listening")
  const child = fork(requester, [], { serialization: "advanced" })
  try {
    const { port } = server.address() as AddressInfo
    const file = join(directory, "requests")
    writeFileSync(file, paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join("\0"))
    const url = `http://127.0.0.1:${port}`
    child.send({ url, file, cycles: true, seconds: 1, connections: 4, rate: null, ...job })
    const [recording] = (await once(child, "message")) as [Recording]
    return { recording, opened }
  } finally {
    child.kill()
    server.close()
    server.closeAllConnections()
    rmSync(directory, { recursive: true })
  }
}

it("counts what waits behind a server that stalls, from when it arrived", async () => {
  const { recording } = await record({ rate: 100, connections: 4 }, { stallsAt: 20 })
  assert.strictEqual(recording.took.length, 100)
  // The stall holds 50 arrivals up, of which four connections carry four at a time.
  const late = recording.took.filter((took) => took > STALL_MILLIS / 5)
  assert.isAtLeast(late.length, 35)
  assert.isAtLeast(Math.max(...recording.took), STALL_MILLIS - 50)
})

it("has one request on each connection if no rate is given", async () => {
  const { recording, opened } = await record({ connections: 7, seconds: 1 }, { stallsAt: 50 })
  assert.strictEqual(opened, 7)
  assert.isAtMost(recording.took.filter((took) => took > STALL_MILLIS - 50).length, 7)
  assert.isAtLeast(recording.at.length, 50)
})

it("records refusals and broken connections apart, and goes on", async () => {
  const paths = ["/", "/refused", "/broken", "/", "/refused"]
  const { recording, opened } = await record({ cycles: false, connections: 1 }, { paths })
  assert.strictEqual(recording.at.length, 2)
  assert.strictEqual(recording.refusedAt.length, 2)
  assert.strictEqual(recording.errors, 1)
  assert.strictEqual(opened, 2)
})
