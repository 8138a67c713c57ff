// @effect-diagnostics processEnv:off
/** Calls of the HTTP interface with sensible defaults, and the form of every answer. */
import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { expect } from "vitest"
import { type Server, until } from "./Server.ts"

type Addressed = Pick<Server, "url">

export interface Channel {
  readonly type: string
  readonly provider: string
  readonly credential_id: number | null
  readonly label: string
}

export interface Sent {
  readonly verification_id: string
  readonly status: string
  readonly current_attempt_channel: Channel
  readonly expires_in: number
  readonly code_length: number
}

export interface Attempt {
  readonly sequence: number
  readonly channel: Channel
  readonly status: string
  readonly dispatched_at: string | null
  readonly transition_reason: string | null
  readonly error_code: string | null
  readonly delivery: string | null
}

export interface Status {
  readonly verification_id: string
  readonly status: string
  readonly phone: string
  readonly current_channel: Channel
  readonly current_channel_status: string | null
  readonly remaining_seconds: number | null
  readonly expires_at: string
  readonly verified_at: string | null
  readonly attempts: ReadonlyArray<Attempt>
}

export interface Template {
  readonly id: number
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The answer to the creation of a message. */
export interface Created {
  readonly message_id: string
  readonly status: string
  readonly strategy: string
  readonly scheduled_for: string | null
  readonly template: Template | null
  readonly current_channel: Channel
}

export interface MessageAttempt {
  readonly sequence: number
  readonly channel: Channel
  readonly status: string
  readonly error_code: string | null
  readonly error_message: string | null
  readonly provider_error: string | null
  readonly due_at: string
  readonly attempted_at: string | null
  readonly finished_at: string | null
}

export interface MessageStatus {
  readonly message_id: string
  readonly status: string
  readonly to: string
  readonly strategy: string
  readonly scheduled_for: string | null
  readonly template: Template | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly successful_attempts: number
  readonly failed_attempts: number
  readonly unknown_attempts: number
  readonly created_at: string
  readonly completed_at: string | null
  readonly attempts: ReadonlyArray<MessageAttempt>
}

export interface Outcome {
  readonly verified: boolean
  readonly reason: string
  readonly tries_left?: number | null
}

export interface Failure {
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A header set to `undefined` is left out. */
export type HeaderSet = Readonly<Record<string, string | undefined>>

export const request = async (
  server: Addressed,
  method: string,
  path: string,
  options: { readonly headers?: HeaderSet; readonly body?: string } = {}
): Promise<Reply> => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value !== undefined) headers.set(name, value)
  }
  // Bytes, because a text body would be given a content type of its own.
  const body = options.body === undefined ? {} : { body: new TextEncoder().encode(options.body) }
  const answer = await fetch(`${server.url}${path}`, { method, headers, redirect: "manual", ...body })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Writes bytes as they are and reads until the server closes the connection. */
export const raw = (server: Pick<Server, "port">, bytes: string): Promise<Reply> =>
  new Promise((resolve, reject) => {
    let received = ""
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes))
    const finish = () => {
      socket.destroy()
      const [head = "", ...rest] = received.split("\r\n\r\n")
      const [statusLine = "", ...lines] = head.split("\r\n")
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
      if (Number.isNaN(status)) return reject(new Error(`not an HTTP answer: ${JSON.stringify(received)}`))
      const headers = new Headers(
        lines.map((line): [string, string] => [
          line.slice(0, line.indexOf(":")),
          line.slice(line.indexOf(":") + 1).trim()
        ])
      )
      return resolve({ status, headers, text: rest.join("\r\n\r\n") })
    }
    socket.setEncoding("utf8")
    socket.setTimeout(10_000, finish)
    socket.on("data", (chunk: string) => {
      received += chunk
    })
    socket.once("end", finish)
    socket.once("error", finish)
  })

export const json = <A>(reply: Reply): A => JSON.parse(reply.text) as A

/** The answer must have this status; gives back its body. */
export const ok = <A>(reply: Reply, status = 200): A => {
  expect(reply.status, reply.text).toBe(status)
  expect(reply.headers.get("content-type")).toMatch(/^application\/json\b/)
  return json<A>(reply)
}

/** The answer must be the envelope, exactly, whatever its status; gives back the error. */
export const envelope = (reply: Reply): Failure => {
  expect(reply.headers.get("content-type"), reply.text).toMatch(/^application\/json\b/)
  const body = json<{ readonly error: Failure; readonly request_id: string }>(reply)
  expect(body).toEqual({
    error: { code: expect.any(String), message: expect.any(String), details: expect.any(Object) },
    request_id: expect.any(String)
  })
  expect(body.error.message).not.toBe("")
  expect(body.request_id).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
  expect(reply.headers.get("x-request-id")).toBe(body.request_id)
  return body.error
}

export const refused = (reply: Reply, status: number, code: string): Failure => {
  const error = envelope(reply)
  expect({ status: reply.status, code: error.code }, reply.text).toEqual({ status, code })
  return error
}

/** The paths of all the issues of a `validation_error`, sorted. */
export const issues = (reply: Reply): ReadonlyArray<string> => {
  const { details } = refused(reply, 422, "validation_error")
  const errors = details["errors"] as ReadonlyArray<{ readonly path: string; readonly message: string }>
  expect(errors).toBeInstanceOf(Array)
  expect(errors.length).toBeGreaterThan(0)
  for (const issue of errors) {
    expect(issue).toMatchObject({ path: expect.any(String), message: expect.any(String) })
  }
  return errors.map((issue) => issue.path).sort()
}

/** Workers share a server, so each counts phones of its own. */
let phones = Number(process.env["VITEST_POOL_ID"] ?? 1) * 1_000_000
/** A phone number no other test of this file uses, in E.164. */
export const newPhone = () => `+98912${(phones += 1)}`

export const newKey = () => randomUUID()

export const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

export const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The three operations with one key: live by default, the sandbox with its own base path. */
export const otp = (server: Addressed, key: string, base = "/v1/otp") => {
  const post = (path: string, body: unknown, headers: HeaderSet = {}) =>
    request(server, "POST", `${base}${path}`, {
      headers: { "x-api-key": key, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  /** Sends exactly this body (text as it is), with a fresh idempotency key. */
  const postSend = (body: unknown, headers: HeaderSet = {}) =>
    post("/send", body, { "idempotency-key": newKey(), ...headers })
  const send = (body: Readonly<Record<string, unknown>> = {}, headers: HeaderSet = {}) =>
    postSend({ phone: newPhone(), ...body }, headers)
  const verify = (verification_id: unknown, code: unknown) => post("/verify", { verification_id, code })
  const read = (id: string) => request(server, "GET", `${base}/${id}`, { headers: { "x-api-key": key } })
  const status = async (id: string) => ok<Status>(await read(id))
  return {
    post,
    postSend,
    send,
    sent: async (body: Readonly<Record<string, unknown>> = {}) => ok<Sent>(await send(body)),
    verify,
    outcome: async (id: string, code: string) => ok<Outcome>(await verify(id, code)),
    read,
    status,
    /** Repeats a send until its first attempt is over: the replay. */
    replayed: (body: Readonly<Record<string, unknown>>, idempotencyKey: string) =>
      until(
        "the send to be answered",
        async () => {
          const reply = await postSend(body, { "idempotency-key": idempotencyKey })
          if (reply.status === 200) return reply
          refused(reply, 409, "idempotency_key_in_progress")
          return undefined
        },
        20_000
      ),
    /** Polls until the verification has this many attempts. */
    attempted: (id: string, count: number, deadlineMs = 15_000) =>
      until(
        `${count} attempts of ${id}`,
        async () => {
          const current = await status(id)
          return current.attempts.length >= count ? current : undefined
        },
        deadlineMs
      )
  }
}

export const sandbox = (server: Addressed, key: string) => otp(server, key, "/v1/sandbox/otp")

/** Messaging with one key. */
export const messages = (server: Addressed, key: string, base = "/v1/messages") => {
  /** Sends exactly this body: text as it is. */
  const post = (body: unknown, headers: HeaderSet = {}) =>
    request(server, "POST", `${base}/send`, {
      headers: { "x-api-key": key, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  /** A good message over sms to a new phone, but for what is given; `undefined` leaves a field out. */
  const send = (body: Readonly<Record<string, unknown>> = {}, headers: HeaderSet = {}) =>
    post({ to: newPhone(), message: "سلام", channels: "sms", ...body }, headers)
  const created = async (body: Readonly<Record<string, unknown>> = {}) => ok<Created>(await send(body), 201)
  const read = (id: string) => request(server, "GET", `${base}/${id}`, { headers: { "x-api-key": key } })
  const status = async (id: string) => ok<MessageStatus>(await read(id))
  /** Polls until the message meets the condition. */
  const reached = (
    id: string,
    what: string,
    condition: (message: MessageStatus) => boolean,
    deadlineMs = 15_000
  ) =>
    until(
      `${id} to be ${what}`,
      async () => {
        const message = await status(id)
        return condition(message) ? message : undefined
      },
      deadlineMs
    )
  const completed = (id: string, deadlineMs = 15_000) =>
    reached(id, "completed", (message) => message.completed_at !== null, deadlineMs)
  return {
    post,
    send,
    created,
    read,
    status,
    reached,
    completed,
    /** Sends and polls until it is over. */
    delivered: async (body: Readonly<Record<string, unknown>> = {}, deadlineMs = 15_000) =>
      completed((await created(body)).message_id, deadlineMs)
  }
}
