import { once } from "node:events"
import * as net from "node:net"
import * as tls from "node:tls"

/** A mail as the server got it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Headers and body, without the final dot and with dots unstuffed. */
  readonly data: string
  readonly isEncrypted: boolean
  readonly user: string | null
}

export interface FakeSmtpOptions {
  /** With a certificate it offers STARTTLS; `implicit`: TLS from the first byte. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly implicit?: boolean }
  /** Without it, AUTH is not offered. */
  readonly credentials?: { readonly user: string; readonly password: string }
  /** The response to a command in place of the usual one; `silent`: none ever comes. */
  readonly respond?: (command: string) => string | "silent" | undefined
}

const ADDRESS = /^<([^\s<>@]+@[^\s<>@]+)>(?: [A-Z0-9=]+)*$/i

/** One connection, as strict as RFC 5321: commands in their order, CRLF only, lines of at most 1000 bytes. */
class Session {
  private buffer = Buffer.alloc(0)
  private isGreeted = false
  private isInData = false
  private awaitsLogin: "user" | "password" | null = null
  private loginUser = ""
  private user: string | null = null
  private from: string | null = null
  private to: Array<string> = []
  private isEncrypted: boolean
  private socket: net.Socket
  private readonly options: FakeSmtpOptions
  private readonly mails: Array<ReceivedMail>

  constructor(
    socket: net.Socket,
    options: FakeSmtpOptions,
    mails: Array<ReceivedMail>,
    isEncrypted: boolean
  ) {
    this.socket = socket
    this.options = options
    this.mails = mails
    this.isEncrypted = isEncrypted
    this.listen(socket)
    this.answer("CONNECT", "220 mail.test ESMTP")
  }

  private listen(socket: net.Socket) {
    socket.on("error", () => socket.destroy())
    socket.on("data", (bytes: Buffer) => this.read(bytes))
  }

  private answer(command: string, usual: string) {
    const given = this.options.respond?.(command) ?? usual
    if (given !== "silent" && this.socket.writable) this.socket.write(`${given}\r\n`)
    return given
  }

  private read(bytes: Buffer) {
    this.buffer = Buffer.concat([this.buffer, bytes])
    if (this.isInData) return this.readData()
    for (let end = this.buffer.indexOf("\n"); end >= 0 && !this.isInData; end = this.buffer.indexOf("\n")) {
      const line = this.buffer.subarray(0, end + 1).toString("latin1")
      this.buffer = this.buffer.subarray(end + 1)
      if (!line.endsWith("\r\n") || line.length > 1000) {
        this.answer("BAD", "500 5.5.2 line refused")
        this.socket.destroy()
        return
      }
      this.command(line.slice(0, -2))
    }
    if (this.isInData) this.readData()
  }

  private readData() {
    const end = this.buffer.indexOf("\r\n.\r\n")
    if (end < 0) return
    const raw = this.buffer.subarray(0, end).toString("utf8")
    this.buffer = this.buffer.subarray(end + 5)
    this.isInData = false
    const isStrict = raw.split("\r\n").every((line) => Buffer.byteLength(line) <= 998 && !/[\r\n]/.test(line))
    const usual = isStrict ? "250 2.0.0 queued" : "550 5.6.0 bare line breaks, or a line that is too long"
    if (this.answer("MESSAGE", usual).startsWith("250")) {
      this.mails.push({
        from: this.from ?? "",
        to: [...this.to],
        data: raw.replaceAll("\r\n..", "\r\n."),
        isEncrypted: this.isEncrypted,
        user: this.user
      })
    }
    this.from = null
    this.to = []
  }

  private command(line: string) {
    if (this.awaitsLogin !== null) return this.login(line)
    const [verb = "", ...rest] = line.split(" ")
    const argument = rest.join(" ")
    switch (verb.toUpperCase()) {
      case "EHLO":
        return this.ehlo()
      case "STARTTLS":
        return this.startTls()
      case "AUTH":
        return this.auth(argument)
      case "MAIL":
        return this.mail(argument)
      case "RCPT":
        return this.recipient(argument)
      case "DATA":
        return this.data()
      case "QUIT":
        this.answer("QUIT", "221 2.0.0 bye")
        return this.socket.end()
      case "RSET":
        return void this.answer("RSET", "250 2.0.0 ok")
      default:
        return void this.answer(verb, "502 5.5.1 not implemented")
    }
  }

  private ehlo() {
    const { tls: certificate, credentials } = this.options
    this.isGreeted = true
    const extensions = [
      "mail.test",
      "8BITMIME",
      ...(certificate !== undefined && !this.isEncrypted ? ["STARTTLS"] : []),
      // RFC 4954: no passwords in clear where encryption is offered.
      ...(credentials !== undefined && (this.isEncrypted || certificate === undefined)
        ? ["AUTH PLAIN LOGIN"]
        : [])
    ]
    const lines = extensions.map((each, index) => `250${index === extensions.length - 1 ? " " : "-"}${each}`)
    this.answer("EHLO", lines.join("\r\n"))
  }

  private startTls() {
    const { tls: certificate } = this.options
    if (certificate === undefined || this.isEncrypted) return void this.answer("STARTTLS", "502 5.5.1 no TLS")
    if (!this.answer("STARTTLS", "220 2.0.0 go ahead").startsWith("220")) return
    const plain = this.socket
    plain.removeAllListeners("data")
    // What came in clear before the handshake is not obeyed (RFC 3207).
    this.buffer = Buffer.alloc(0)
    const secured = new tls.TLSSocket(plain, { isServer: true, key: certificate.key, cert: certificate.cert })
    this.socket = secured
    this.isEncrypted = true
    this.isGreeted = false
    this.listen(secured)
  }

  private auth(argument: string) {
    const [method = "", initial] = argument.split(" ")
    if (this.options.credentials === undefined) return void this.answer("AUTH", "503 5.5.1 not offered")
    if (method.toUpperCase() === "PLAIN" && initial !== undefined) {
      const [, user = "", password = ""] = Buffer.from(initial, "base64").toString().split("\0")
      return this.authenticated(user, password)
    }
    this.awaitsLogin = "user"
    this.answer("AUTH", "334 VXNlcm5hbWU6")
  }

  private login(line: string) {
    const text = Buffer.from(line, "base64").toString()
    if (this.awaitsLogin === "user") {
      this.loginUser = text
      this.awaitsLogin = "password"
      return void this.answer("AUTH", "334 UGFzc3dvcmQ6")
    }
    this.awaitsLogin = null
    this.authenticated(this.loginUser, text)
  }

  private authenticated(user: string, password: string) {
    const { credentials } = this.options
    const isRight = user === credentials?.user && password === credentials.password
    if (isRight) this.user = user
    this.answer("AUTH", isRight ? "235 2.7.0 welcome" : `535 5.7.8 wrong password for ${user}`)
  }

  private mail(argument: string) {
    const address = ADDRESS.exec(argument.replace(/^FROM:/i, ""))?.[1]
    if (!this.isGreeted) return void this.answer("MAIL", "503 5.5.1 EHLO first")
    if (this.options.credentials !== undefined && this.user === null)
      return void this.answer("MAIL", "530 5.7.0 authentication required")
    if (address === undefined || this.from !== null) return void this.answer("MAIL", "501 5.1.7 bad sender")
    if (this.answer("MAIL", "250 2.1.0 ok").startsWith("250")) this.from = address
  }

  private recipient(argument: string) {
    const address = ADDRESS.exec(argument.replace(/^TO:/i, ""))?.[1]
    if (this.from === null) return void this.answer("RCPT", "503 5.5.1 MAIL first")
    if (address === undefined) return void this.answer("RCPT", "501 5.1.3 bad recipient")
    if (this.answer("RCPT", "250 2.1.5 ok").startsWith("250")) this.to.push(address)
  }

  private data() {
    if (this.to.length === 0) return void this.answer("DATA", "503 5.5.1 RCPT first")
    this.isInData = this.answer("DATA", "354 end with a dot").startsWith("354")
  }
}

/** A mail server on this machine that keeps what it gets. */
export const startFakeSmtp = async (options: FakeSmtpOptions = {}) => {
  const mails: Array<ReceivedMail> = []
  const sockets = new Set<net.Socket>()
  const sessions = new Set<Session>()
  const isImplicit = options.tls?.implicit === true
  const accept = (socket: net.Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    sessions.add(new Session(socket, options, mails, isImplicit))
  }
  const server =
    isImplicit && options.tls !== undefined
      ? tls.createServer({ key: options.tls.key, cert: options.tls.cert }, accept)
      : net.createServer(accept)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    port,
    mails,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}
