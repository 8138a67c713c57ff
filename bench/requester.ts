/**
 * A load of its own, in its own process, that records each response. A job comes and the recording goes as a message.
 * With a rate, requests arrive at fixed times (see OpenLoop.ts); else each connection always has one request.
 */
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { responseIn } from "./HttpResponse.ts"
import { arrivalOf, arrivedBy, totalIn } from "./OpenLoop.ts"
import type { Recording } from "./Recording.ts"

export interface RequesterJob {
  readonly url: string
  /** The requests, separated by zero bytes. */
  readonly file: string
  readonly cycles: boolean
  readonly seconds: number
  readonly connections: number
  /** How many requests arrive in a second; null: as many as the connections allow. */
  readonly rate: number | null
}

const requestsIn = (file: string): ReadonlyArray<Buffer> => {
  const all = readFileSync(file)
  const requests: Array<Buffer> = []
  for (let at = 0; at < all.length;) {
    const end = all.indexOf(0, at)
    requests.push(all.subarray(at, end === -1 ? all.length : end))
    at = end === -1 ? all.length : end + 1
  }
  return requests
}

const EMPTY = Buffer.alloc(0)

/** A connection with at most one request. */
class Connection {
  #socket: Socket | null = null
  #received: Buffer = EMPTY
  #finish: ((status: number | null) => void) | null = null
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true }, resolve)
      socket.once("error", reject)
      socket.on("data", (data: Buffer) => this.#receive(data))
      socket.on("close", () => this.#finish?.(null))
      this.#socket = socket
    })
  }

  /** The status; null if the connection broke. */
  async send(bytes: Buffer): Promise<number | null> {
    const socket = this.#socket
    const status = await new Promise<number | null>((resolve) => {
      this.#finish = resolve
      socket?.write(bytes)
    })
    this.#finish = null
    if (status === null || socket?.destroyed === true) await this.#reopen()
    return status
  }

  close(): void {
    this.#socket?.destroy()
  }

  #reopen(): Promise<void> {
    this.#received = EMPTY
    // Else each next request is an error, too.
    return this.open().catch(() => undefined)
  }

  #receive(data: Buffer): void {
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data])
    const found = responseIn(this.#received)
    if (found === null) return
    this.#received = this.#received.subarray(found.bytes)
    this.#finish?.(found.status)
  }
}

/** What a run has recorded so far. */
class Recorder {
  readonly #startedAt = performance.now()
  readonly #at: Array<number> = []
  readonly #took: Array<number> = []
  readonly #refusedAt: Array<number> = []
  #errors = 0

  get now(): number {
    return performance.now() - this.#startedAt
  }

  add(arrivedAt: number, status: number | null): void {
    const now = this.now
    if (status === null) this.#errors += 1
    else if (status >= 400) this.#refusedAt.push(now)
    else {
      this.#at.push(now)
      this.#took.push(now - arrivedAt)
    }
  }

  done(unanswered: number): Recording {
    return {
      at: Float64Array.from(this.#at),
      took: Float64Array.from(this.#took),
      refusedAt: Float64Array.from(this.#refusedAt),
      errors: this.#errors + unanswered
    }
  }
}

const SECOND_MILLIS = 1000
/** After the last request, for its response. */
const LAST_RESPONSE_MILLIS = 20_000
/** With fewer requests a second than this, a timer that is late by a millisecond would be a part of what is measured. */
const FEW_A_SECOND = 200
const TIMER_MILLIS = 2

/** As soon as it is time; with few requests a second, to a part of a millisecond. */
const sleepUntil = async (at: number, rate: number, recorder: Recorder) => {
  if (rate > FEW_A_SECOND) return pause(Math.max(1, at - recorder.now))
  const wait = at - recorder.now - TIMER_MILLIS
  if (wait > 0) await pause(wait)
  while (recorder.now < at) await new Promise(setImmediate)
}

/** Waits for the last responses, but not for ever. */
const allOf = (work: ReadonlyArray<Promise<void>>) =>
  Promise.race([Promise.all(work), pause(LAST_RESPONSE_MILLIS, undefined, { ref: false })])

interface Run {
  readonly connections: ReadonlyArray<Connection>
  readonly requests: ReadonlyArray<Buffer>
  readonly cycles: boolean
  readonly seconds: number
}

/** Each connection always has one request. Returns how many have no response. */
const runClosed = async ({ connections, requests, cycles, seconds }: Run, recorder: Recorder) => {
  const endsAt = seconds * SECOND_MILLIS
  const most = cycles ? Infinity : requests.length
  let begun = 0
  let finished = 0
  const send = async (connection: Connection) => {
    while (recorder.now < endsAt && begun < most) {
      const arrivedAt = recorder.now
      begun += 1
      const status = await connection.send(requests[(begun - 1) % requests.length] ?? EMPTY)
      recorder.add(arrivedAt, status)
      finished += 1
    }
  }
  const sending = connections.map(send)
  await Promise.race([Promise.all(sending), pause(endsAt)])
  await allOf(sending)
  return begun - finished
}

/** Requests arrive at fixed times. Returns how many have no response. */
const runOpen = async (
  { connections, requests, cycles, seconds }: Run,
  rate: number,
  recorder: Recorder
): Promise<number> => {
  const most = cycles ? totalIn(seconds, rate) : Math.min(totalIn(seconds, rate), requests.length)
  // The one that was used last is used first: few are in use at a low rate.
  const idle = [...connections]
  const waiting: Array<number> = []
  let finished = 0
  const serve = async (connection: Connection, first: number) => {
    for (let nth: number | undefined = first; nth !== undefined; nth = waiting.shift()) {
      const status = await connection.send(requests[nth % requests.length] ?? EMPTY)
      recorder.add(arrivalOf(nth, rate), status)
      finished += 1
    }
    idle.push(connection)
  }
  const serving: Array<Promise<void>> = []
  for (let arrived = 0; arrived < most;) {
    await sleepUntil(arrivalOf(arrived, rate), rate, recorder)
    for (const until = Math.min(most, arrivedBy(recorder.now, rate)); arrived < until; arrived += 1) {
      const connection = idle.pop()
      if (connection === undefined) waiting.push(arrived)
      else serving.push(serve(connection, arrived))
    }
  }
  await allOf(serving)
  return most - finished
}

const run = async (job: RequesterJob): Promise<Recording> => {
  const port = Number(new URL(job.url).port)
  const connections = Array.from({ length: job.connections }, () => new Connection(port))
  for (const connection of connections) await connection.open()
  const { cycles, rate, seconds } = job
  const given = { connections, requests: requestsIn(job.file), cycles, seconds }
  const recorder = new Recorder()
  const unanswered = rate === null ? await runClosed(given, recorder) : await runOpen(given, rate, recorder)
  const recording = recorder.done(unanswered)
  for (const connection of connections) connection.close()
  return recording
}

process.on("message", (job: RequesterJob) => {
  void run(job).then((recording) => process.send?.(recording, () => process.disconnect?.()))
})
