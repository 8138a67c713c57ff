import { Effect } from "effect"
import type * as net from "node:net"
import { createRequire } from "node:module"

/** A part of what npm's smpp has; it comes without types. */
interface Pdu {
  readonly command_status: number
  readonly system_id: string
  readonly password: string
  readonly source_addr: string
  readonly destination_addr: string
  readonly data_coding: number
  readonly registered_delivery: number
  readonly validity_period: Date | string
  readonly short_message: { readonly message: string; readonly udh?: ReadonlyArray<Buffer> }
  readonly response: (fields?: Readonly<Record<string, unknown>>) => Pdu
}

interface Session {
  readonly on: ((event: "bind_transceiver" | "submit_sm", take: (pdu: Pdu) => void) => void) &
    ((event: "error", take: () => void) => void)
  readonly send: (pdu: Pdu) => void
  readonly deliver_sm: (fields: Readonly<Record<string, unknown>>, answered: (response: Pdu) => void) => void
  readonly enquire_link: (answered: (response: Pdu) => void) => void
  readonly destroy: () => void
}

const smpp: {
  readonly createServer: (onSession: (session: Session) => void) => net.Server
  readonly ESM_CLASS: { readonly MC_DELIVERY_RECEIPT: number }
  readonly ESME_RBINDFAIL: number
  readonly ESME_RINVDSTADR: number
  readonly ESME_RTHROTTLED: number
  readonly ESME_RSYSERR: number
} = createRequire(import.meta.url)("smpp")

export const { ESME_RINVDSTADR, ESME_RTHROTTLED, ESME_RSYSERR } = smpp

export const SMSC_LOGIN = { system_id: "peyk", password: "secret" }

export interface FakeSmsc {
  readonly port: number
  /** What was submitted, refused or not. */
  readonly submitted: Array<Pdu>
  /** The status of the next responses; after them all is accepted. "silence": no response; "close": hangs up. */
  readonly script: (...answers: ReadonlyArray<number | "silence" | "close">) => void
  /** Sends a receipt, and waits until the other end has taken it. */
  readonly receipt: (id: string, stat: string) => Effect.Effect<void>
  /** When an end has bound itself so many times. */
  readonly bound: (count: number) => Effect.Effect<void>
}

interface Waiting {
  readonly count: number
  readonly done: () => void
}

const open = () => {
  const submitted: FakeSmsc["submitted"] = []
  const scripted: Array<number | "silence" | "close"> = []
  const binds: Array<Session> = []
  const sessions: Array<Session> = []
  const waiting: Array<Waiting> = []

  const bind = (session: Session, pdu: Pdu) => {
    const isKnown = pdu.system_id === SMSC_LOGIN.system_id && pdu.password === SMSC_LOGIN.password
    session.send(pdu.response(isKnown ? {} : { command_status: smpp.ESME_RBINDFAIL }))
    if (!isKnown) return
    // PDUs keep their order, so this one is answered once the other end knows that it is bound.
    session.enquire_link(() => {
      binds.push(session)
      for (const { count, done } of waiting) if (binds.length >= count) done()
    })
  }

  const submit = (session: Session, pdu: Pdu) => {
    submitted.push(pdu)
    const answer = scripted.shift() ?? 0
    if (answer === "close") return session.destroy()
    if (answer === "silence") return
    return session.send(
      pdu.response(answer === 0 ? { message_id: `m${submitted.length}` } : { command_status: answer })
    )
  }

  const server = smpp.createServer((session) => {
    sessions.push(session)
    session.on("error", () => {})
    session.on("bind_transceiver", (pdu) => bind(session, pdu))
    session.on("submit_sm", (pdu) => submit(session, pdu))
  })

  const receipt = (id: string, stat: string) =>
    Effect.promise(
      () =>
        new Promise<void>((resolve) => {
          const text = `id:${id} sub:001 dlvrd:001 submit date:2611240930 done date:2611240931 stat:${stat} err:000 text:`
          const fields = { esm_class: smpp.ESM_CLASS.MC_DELIVERY_RECEIPT, short_message: text }
          binds.at(-1)?.deliver_sm(fields, () => resolve())
        })
    )
  const bound = (count: number) =>
    Effect.promise(
      () => new Promise<void>((done) => (binds.length >= count ? done() : void waiting.push({ count, done })))
    )
  const close = () => {
    for (const session of sessions) session.destroy()
    server.close()
  }
  const script: FakeSmsc["script"] = (...answers) => void scripted.push(...answers)
  return { server, close, smsc: { submitted, script, receipt, bound } }
}

/** A message center on loopback: npm's smpp reads and writes its PDUs. */
export const fakeSmsc = Effect.acquireRelease(
  Effect.promise(async () => {
    const { server, close, smsc } = open()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
    const { port } = server.address() as net.AddressInfo
    return { smsc: { ...smsc, port } satisfies FakeSmsc, close }
  }),
  ({ close }) => Effect.sync(close)
).pipe(Effect.map(({ smsc }) => smsc))
