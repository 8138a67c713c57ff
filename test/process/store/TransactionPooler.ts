/**
 * A pooler of transactions that is stricter than PgBouncer: each statement outside of a transaction runs in the session
 * that was idle for longest. It records what would not survive that, and ends the connection.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { type AddressInfo, createServer, type Socket } from "node:net"

export interface TransactionPooler {
  readonly port: number
  /** What clients asked for that a session would have to keep. */
  readonly violations: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

interface Client {
  readonly socket: Socket
  readonly units: Array<Buffer>
  session: Session | undefined
  isWaiting: boolean
}

interface Session {
  readonly socket: Socket
  client: Client | undefined
}

const SSL_REQUEST = 80_877_103
const CANCEL_REQUEST = 80_877_102
const KNOWN_SETTINGS = new Set(["user", "database", "application_name", "client_encoding"])
const KEPT_BY_SESSIONS = /^\s*(listen|unlisten|set (?!local)|prepare|discard|select pg_(try_)?advisory_lock)/i

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type, "latin1")
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const READY = message("Z", Buffer.from("I"))
const ROLLBACK = message("Q", Buffer.from("rollback\0"))
const refusal = (text: string) => message("E", Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`))

/** Calls back with each whole message; the first of a client has no type. */
const framesOf = (onFrame: (type: string, frame: Buffer) => void, untyped: boolean) => {
  let rest = Buffer.alloc(0)
  let start = untyped ? 0 : 1
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= start + 4) {
      const end = start + rest.readInt32BE(start)
      if (rest.length < end) return
      const frame = rest.subarray(0, end)
      rest = rest.subarray(end)
      const isFirst = start === 0
      if (isFirst && frame.readInt32BE(4) !== SSL_REQUEST) start = 1
      onFrame(isFirst ? "" : frame.toString("latin1", 0, 1), frame)
    }
  }
}

/** What a message asks a session to keep, if anything. */
const keptBy = (type: string, frame: Buffer): string | undefined => {
  const [first = "", second = ""] = frame.toString("utf8", 5).split("\0")
  if (type === "P" && first !== "") return `a statement named ${first}`
  if (type === "B" && second !== "") return `a statement named ${second}`
  const statement = type === "Q" ? first : type === "P" ? second : ""
  return KEPT_BY_SESSIONS.test(statement) ? statement : undefined
}

const settingsOf = (startup: Buffer): ReadonlyArray<string> =>
  startup
    .toString("utf8", 8)
    .split("\0")
    .filter((word, index) => index % 2 === 0 && word !== "")

/** An authenticated connection, without the driver: its messages are passed on as they are. */
const openSession = (url: string) =>
  Effect.map(PgConnection.make({ url: Redacted.make(url) }), (connection): Session => {
    const { session } = connection as unknown as { readonly session: { readonly socket: Socket } }
    session.socket.removeAllListeners("data").removeAllListeners("close")
    return { socket: session.socket, client: undefined }
  })

export const transactionPooler = async (url: string, count: number): Promise<TransactionPooler> => {
  const scope = Scope.makeUnsafe()
  const opened = Effect.all(Array.from({ length: count }, () => openSession(url)))
  const idle: Array<Session> = [...(await Effect.runPromise(Scope.provide(opened, scope)))]
  const waiting: Array<Client> = []
  const violations: Array<string> = []

  /** Sends a client's next unit, if the one before has its response. */
  const serve = (client: Client) => {
    const [unit] = client.units
    if (unit === undefined || client.isWaiting) return
    client.session ??= idle.shift()
    client.isWaiting = true
    if (client.session === undefined) return void waiting.push(client)
    client.units.shift()
    client.session.client = client
    client.session.socket.write(unit)
  }

  const serveAgain = (client: Client | undefined) => {
    if (client === undefined) return
    client.isWaiting = false
    serve(client)
  }

  const release = (session: Session) => {
    const { client } = session
    session.client = undefined
    if (client !== undefined) client.session = undefined
    idle.push(session)
    serveAgain(waiting.shift())
    serveAgain(client)
  }

  for (const session of idle) {
    const onFrame = (type: string, frame: Buffer) => {
      session.client?.socket.write(frame)
      if (type !== "Z") return
      if (frame.toString("latin1", 5) === "I") release(session)
      else if (session.client === undefined) session.socket.write(ROLLBACK)
      else serveAgain(session.client)
    }
    session.socket.on("data", framesOf(onFrame, false))
  }

  const refuse = (client: Client, what: string) => {
    violations.push(what)
    client.socket.end(refusal(what))
  }

  const begin = (client: Client, startup: Buffer) => {
    const code = startup.readInt32BE(4)
    if (code === SSL_REQUEST) return client.socket.write("N")
    if (code === CANCEL_REQUEST) return client.socket.end()
    const unknown = settingsOf(startup).find((name) => !KNOWN_SETTINGS.has(name))
    if (unknown !== undefined) return refuse(client, `unsupported startup parameter: ${unknown}`)
    const authenticated = message("R", Buffer.alloc(4))
    return client.socket.write(Buffer.concat([authenticated, message("K", randomBytes(8)), READY]))
  }

  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const client: Client = { socket, units: [], session: undefined, isWaiting: false }
    let unit: Array<Buffer> = []
    const onFrame = (type: string, frame: Buffer) => {
      if (type === "") return begin(client, frame)
      if (type === "X") return socket.end()
      const kept = keptBy(type, frame)
      if (kept !== undefined) return refuse(client, kept)
      unit.push(frame)
      if (!["S", "Q"].includes(type)) return undefined
      client.units.push(Buffer.concat(unit))
      unit = []
      return serve(client)
    }
    sockets.add(socket)
    socket.on("data", framesOf(onFrame, true))
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      sockets.delete(socket)
      client.units.length = 0
      if (waiting.includes(client)) waiting.splice(waiting.indexOf(client), 1)
      const { session } = client
      if (session === undefined) return
      session.client = undefined
      if (!client.isWaiting) session.socket.write(ROLLBACK)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    violations,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
