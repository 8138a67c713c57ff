import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as net from "node:net"
import {
  composeMail,
  MailerSmtp,
  parseSmtpUrl,
  type SmtpSettings
} from "../../../src/layers/alert/MailerSmtp.ts"
import { smtpOf } from "../../../src/layers/config/EndpointSettings.ts"
import { Mailer } from "../../../src/services/alert/Mailer.ts"
import { makeCertificate } from "../../support/Certificate.ts"
import { type FakeSmtpOptions, startFakeSmtp } from "../../support/smtp/FakeSmtp.ts"

const FROM = "alerts@peyk.example"
const mail = { to: "oncall@example.com", subject: "[Peyk] قطعی کانال", text: "یک\n.\nدو\n", id: "m1", at: 0 }

const fakeSmtp = (options?: FakeSmtpOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => startFakeSmtp(options)),
    ({ stop }) => Effect.promise(stop)
  )

const settingsOf = (port: number, more: Partial<SmtpSettings> = {}): SmtpSettings => ({
  host: "127.0.0.1",
  port,
  tls: "none",
  user: null,
  password: null,
  from: FROM,
  ...more
})

const send = (settings: SmtpSettings, tls = {}, sent = mail) =>
  Effect.provide(
    Effect.flatMap(Mailer, (mailer) => mailer.send(sent)),
    MailerSmtp(settings, tls)
  )

const certificate = makeCertificate("localhost")
const trusted = { ca: certificate.cert }
const LOGIN = { user: "peyk", password: "s3cret pass" }
const login = { user: LOGIN.user, password: Redacted.make(LOGIN.password) }

describe("mail over SMTP", () => {
  it.live("reaches a relay on this machine, with encoded headers and a body of any bytes", () =>
    Effect.gen(function* () {
      const fake = yield* fakeSmtp()
      assert.deepStrictEqual(yield* send(settingsOf(fake.port)), { _tag: "Sent" })
      const [got] = fake.mails
      assert.deepStrictEqual([got?.from, got?.to, got?.isEncrypted], [FROM, ["oncall@example.com"], false])
      assert.match(got?.data ?? "", /^Message-ID: <m1@peyk\.example>\r$/m)
      assert.match(got?.data ?? "", /^Auto-Submitted: auto-generated\r$/m)
      assert.match(got?.data ?? "", /^Date: Thu, 01 Jan 1970 00:00:00 \+0000\r$/m)
      const [headers = "", body = ""] = (got?.data ?? "").split("\r\n\r\n")
      assert.match(headers, /Content-Transfer-Encoding: base64/)
      assert.strictEqual(Buffer.from(body, "base64").toString(), mail.text)
    })
  )

  it.live("encrypts with STARTTLS before it says who it is", () =>
    Effect.gen(function* () {
      const fake = yield* fakeSmtp({ tls: certificate, credentials: LOGIN })
      const settings = settingsOf(fake.port, { host: "localhost", tls: "required", ...login })
      assert.deepStrictEqual(yield* send(settings, trusted), { _tag: "Sent" })
      assert.deepStrictEqual(
        fake.mails.map((got) => [got.isEncrypted, got.user]),
        [[true, "peyk"]]
      )
    })
  )

  it.live("encrypts from the first byte with smtps", () =>
    Effect.gen(function* () {
      const fake = yield* fakeSmtp({ tls: { ...certificate, implicit: true }, credentials: LOGIN })
      const settings = settingsOf(fake.port, { host: "localhost", tls: "implicit", ...login })
      assert.deepStrictEqual(yield* send(settings, trusted), { _tag: "Sent" })
      assert.deepStrictEqual(
        fake.mails.map(({ isEncrypted }) => isEncrypted),
        [true]
      )
    })
  )

  it.live(
    "sends nothing in clear where STARTTLS is required and not offered, or whose certificate nobody knows",
    () =>
      Effect.gen(function* () {
        const plain = yield* fakeSmtp({ credentials: LOGIN })
        const unknown = yield* fakeSmtp({ tls: certificate, credentials: LOGIN })
        for (const { port } of [plain, unknown]) {
          const outcome = yield* send(settingsOf(port, { host: "localhost", tls: "required", ...login }))
          assert.strictEqual(outcome._tag, "Unavailable")
        }
        assert.deepStrictEqual([...plain.mails, ...unknown.mails], [])
      })
  )

  it.live("says what a server refused without its words, which may repeat an address or a password", () =>
    Effect.gen(function* () {
      const responses: ReadonlyArray<readonly [string, string, string]> = [
        ["RCPT", "550 5.1.1 no oncall@example.com here", "Refused"],
        ["RCPT", "451 4.7.1 greylisted oncall@example.com", "Unavailable"],
        ["MAIL", "554 5.7.1 not from alerts@peyk.example", "Refused"],
        ["MESSAGE", "552 5.2.2 full: oncall@example.com", "Refused"],
        ["CONNECT", "554 go away oncall@example.com", "Unavailable"]
      ]
      for (const [command, response, expected] of responses) {
        const fake = yield* fakeSmtp({ respond: (given) => (given === command ? response : undefined) })
        const outcome = yield* send(settingsOf(fake.port))
        assert.strictEqual(outcome._tag, expected, command)
        assert.notMatch(JSON.stringify(outcome), /oncall|alerts@|greylisted|full/)
      }
      const fake = yield* fakeSmtp({ tls: certificate, credentials: LOGIN })
      const wrong = settingsOf(fake.port, {
        host: "localhost",
        tls: "required",
        user: "peyk",
        password: Redacted.make("wr0ng")
      })
      const outcome = yield* send(wrong, trusted)
      assert.deepStrictEqual(outcome, { _tag: "Unavailable", reason: "SMTP 535 (EAUTH)" })
    })
  )

  it.live("is unavailable where nothing listens", () =>
    Effect.gen(function* () {
      const fake = yield* Effect.scoped(fakeSmtp())
      assert.strictEqual((yield* send(settingsOf(fake.port)))._tag, "Unavailable")
    })
  )

  it.effect("gives up a server that never answers after half a minute, and closes the connection", () =>
    Effect.gen(function* () {
      const closed = Promise.withResolvers<void>()
      const connected = Promise.withResolvers<void>()
      const server = net.createServer((socket) => {
        connected.resolve()
        socket.on("error", () => undefined)
        socket.on("close", () => closed.resolve())
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
        () => Effect.sync(() => server.close())
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const sending = yield* Effect.forkChild(send(settingsOf(port)))
      yield* Effect.promise(() => connected.promise)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* Fiber.join(sending), { _tag: "Unavailable", reason: "SMTP ETIMEDOUT" })
      yield* Effect.promise(() => closed.promise)
    })
  )

  it.effect.prop("lets no text become a header", [Schema.String, Schema.String], ([subject, text]) =>
    Effect.gen(function* () {
      const evil = { ...mail, subject: `${subject}\r\nBcc: victim@example.com\r\n\r\n`, text: `${text}.` }
      const bytes = Buffer.from(yield* composeMail(evil, FROM)).toString("latin1")
      const [headers = ""] = bytes.split("\r\n\r\n")
      const names = headers.split(/\r\n(?![ \t])/).map((line) => line.slice(0, line.indexOf(":")))
      assert.sameMembers(names, [
        "Auto-Submitted",
        "X-Auto-Response-Suppress",
        "From",
        "To",
        "Subject",
        "Message-ID",
        "Date",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding"
      ])
    })
  )
})

describe("PEYK_SMTP_URL", () => {
  const parsed = (url: string) => {
    const found = parseSmtpUrl(url, FROM)
    return found === null ? null : [found.host, found.port, found.tls, found.user]
  }

  it.each([
    ["smtp://mail.example.com", ["mail.example.com", 587, "required", null]],
    ["smtps://me%40x.ir:p%3Aw@mail.example.com", ["mail.example.com", 465, "implicit", "me@x.ir"]],
    ["smtp://127.0.0.1:2525", ["127.0.0.1", 2525, "none", null]],
    ["smtp://localhost:2525?tls=required", ["localhost", 2525, "required", null]],
    ["smtp://10.0.0.5:25?tls=none", ["10.0.0.5", 25, "none", null]],
    ["smtp://[::1]:25", ["::1", 25, "none", null]],
    ["http://mail.example.com", null],
    ["smtp://mail.example.com/path", null],
    ["smtp://mail.example.com?rejectUnauthorized=false", null],
    ["smtps://mail.example.com?tls=none", null],
    ["mail.example.com", null]
  ])("%s", (url, expected) => {
    assert.deepStrictEqual(parsed(url), expected)
  })

  it("names the sender, if PEYK_SMTP_FROM does not", () => {
    const from = (url: string, smtpFrom: string | null = null) =>
      smtpOf({ smtpUrl: Redacted.make(url), smtpFrom })?.from
    assert.strictEqual(from("smtps://me%40shop.ir:x@mail.shop.ir"), "me@shop.ir")
    assert.strictEqual(from("smtp://relay@mail.shop.ir"), "peyk@mail.shop.ir")
    assert.strictEqual(from("smtp://mail.shop.ir", FROM), FROM)
    assert.isNull(smtpOf({ smtpUrl: null, smtpFrom: FROM }))
  })
})
