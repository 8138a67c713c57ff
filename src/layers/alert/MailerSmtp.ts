import { DateTime, Duration, Effect, Layer, Redacted } from "effect"
import type { ConnectionOptions } from "node:tls"
import { isLoopbackHost } from "../network/PrivateAddresses.ts"
import { type Mail, Mailer, type MailOutcome } from "../../services/alert/Mailer.ts"

/** How mail leaves this installation. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** `implicit`: from the first byte. `required`: by STARTTLS, or nothing is sent. `none`: only to this machine. */
  readonly tls: "implicit" | "required" | "none"
  readonly user: string | null
  readonly password: Redacted.Redacted | null
  /** The sender of alerts: an address. */
  readonly from: string
}

const SUBMISSION_PORT = 587
const SUBMISSIONS_PORT = 465

const decoded = (text: string): string => decodeURIComponent(text)

/**
 * The settings of `smtp://user:password@host:587` or `smtps://…:465`. With `smtp` STARTTLS is required, except to this
 * machine: a password, or a name, must not cross a network in clear. Null: it is no such address.
 */
export const parseSmtpUrl = (text: string, from: string): SmtpSettings | null => {
  const url = URL.parse(text)
  if (url === null || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "") return null
  if (!["", "/"].includes(url.pathname) || url.hash !== "") return null
  const { protocol, port, username, password, searchParams } = url
  const wanted = searchParams.get("tls")
  if ([...searchParams.keys()].some((key) => key !== "tls")) return null
  if (wanted !== null && wanted !== "required" && wanted !== "none") return null
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const isImplicit = protocol === "smtps:"
  if (isImplicit && wanted !== null) return null
  try {
    return {
      host,
      port: port === "" ? (isImplicit ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(port),
      tls: isImplicit ? "implicit" : (wanted ?? (isLoopbackHost(host) ? "none" : "required")),
      user: username === "" ? null : decoded(username),
      password: password === "" ? null : Redacted.make(decoded(password)),
      from
    }
  } catch {
    return null
  }
}

const CONNECT_MILLIS = 10_000
const SILENT_MILLIS = 15_000
/** For a whole mail: a server that trickles its responses must not hold it longer. */
const MAIL_TIMEOUT = Duration.seconds(30)
const MAX_RESPONSE_BYTES = 65_536

/** Loaded with the first mail: a start does not wait for it, and most installations send none. */
const mailComposer = Effect.promise(() => import("nodemailer/lib/mail-composer"))
const smtpConnection = Effect.promise(() => import("nodemailer/lib/smtp-connection"))

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** The bytes of a mail. Its headers are encoded, so no text of an alert can become a header. */
export const composeMail = (mail: Mail, from: string): Effect.Effect<Uint8Array> =>
  Effect.flatMap(mailComposer, ({ default: MailComposer }) =>
    Effect.promise(() =>
      new MailComposer({
        from: { name: "Peyk", address: from },
        to: { name: "", address: mail.to },
        subject: mail.subject,
        text: mail.text,
        date: DateTime.toDateUtc(DateTime.makeUnsafe(mail.at)),
        messageId: `<${mail.id}@${domainOf(from)}>`,
        headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
        disableFileAccess: true,
        disableUrlAccess: true
      })
        .compile()
        .build()
    )
  )

interface SmtpFailure {
  readonly code?: string | undefined
  readonly responseCode?: number | undefined
}

/** What the connection says of a failure, without the server's own words: those may repeat an address or a name. */
const outcomeOf = ({ code = "ECONNECTION", responseCode }: SmtpFailure): MailOutcome => {
  const reason = responseCode === undefined ? `SMTP ${code}` : `SMTP ${responseCode} (${code})`
  // A wrong password or sender is put right by people: mails that wait go out then.
  const isForGood = code === "EENVELOPE" || code === "EMESSAGE"
  return isForGood && responseCode !== undefined && responseCode >= 500
    ? { _tag: "Refused", reason }
    : { _tag: "Unavailable", reason }
}

const isFailure = (error: unknown): error is SmtpFailure => typeof error === "object" && error !== null

/** One mail over one connection, which is closed whatever happens. */
const deliver = Effect.fnUntraced(function* (
  settings: SmtpSettings,
  to: string,
  bytes: Uint8Array,
  tls: ConnectionOptions
) {
  const { default: SMTPConnection } = yield* smtpConnection
  return yield* Effect.callback<MailOutcome>((resume) => {
    const connection = new SMTPConnection({
      host: settings.host,
      port: settings.port,
      secure: settings.tls === "implicit",
      requireTLS: settings.tls === "required",
      ignoreTLS: settings.tls === "none",
      connectionTimeout: CONNECT_MILLIS,
      greetingTimeout: CONNECT_MILLIS,
      dnsTimeout: CONNECT_MILLIS,
      socketTimeout: SILENT_MILLIS,
      maxResponseSize: MAX_RESPONSE_BYTES,
      name: domainOf(settings.from),
      tls: { minVersion: "TLSv1.2", ...tls }
    })
    const end = (outcome: MailOutcome) => {
      resume(Effect.succeed(outcome))
      connection.close()
    }
    const fail = (error: unknown) => end(outcomeOf(isFailure(error) ? error : {}))
    const send = () =>
      connection.send({ from: settings.from, to: [to] }, Buffer.from(bytes), (error) => {
        if (error !== null && error !== undefined) return fail(error)
        resume(Effect.succeed({ _tag: "Sent" }))
        connection.quit()
      })
    connection.once("error", fail)
    // Errors after the first one have nobody left to hear them.
    connection.on("error", () => undefined)
    connection.once("end", () => fail({}))
    connection.connect((error) => {
      if (error !== null && error !== undefined) return fail(error)
      const { user, password } = settings
      if (user === null) return send()
      const credentials = { user, pass: password === null ? "" : Redacted.value(password) }
      connection.login({ credentials }, (refused) =>
        refused === null || refused === undefined ? send() : fail(refused)
      )
    })
    return Effect.sync(() => connection.close())
  })
})

/** @param tls further options of TLS, such as the authority of a private server's certificate */
export const MailerSmtp = (settings: SmtpSettings, tls: ConnectionOptions = {}) =>
  Layer.succeed(Mailer, {
    isOn: true,
    send: (mail) =>
      Effect.flatMap(composeMail(mail, settings.from), (bytes) =>
        deliver(settings, mail.to, bytes, tls)
      ).pipe(
        Effect.timeoutOrElse({
          duration: MAIL_TIMEOUT,
          orElse: () => Effect.succeed<MailOutcome>({ _tag: "Unavailable", reason: "SMTP ETIMEDOUT" })
        })
      )
  })
