import { Config, Console, Effect, Option, Random, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { about, COMMAND_LINE, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer, optionalText } from "../input/Flags.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { forPerson } from "../output/ErrorOutput.ts"
import { asLines, JsonFlag } from "../output/Output.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { instantOf } from "../../domain/Paging.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { inOneLine, shown } from "../../domain/text/VisibleText.ts"
import { operatorActor } from "../../domain/user/Actor.ts"
import { Crypto } from "../../layers/graphs/Infrastructure.ts"
import { makeWebhookSecret } from "../../layers/webhook/StandardWebhook.ts"
import { type ListenedEvent, WebhookListeners } from "../../services/webhook/WebhookListeners.ts"
import { type Forwarded, forwarding } from "./ForwardedEvents.ts"
import { ConnectionLost, type Received, remoteEvents } from "./RemoteEvents.ts"

const LOOPBACK = /^(?:(?:[^:/]+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const ADDRESS = /^https?:$/

const addressOf = (name: string, text: string) => {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`)
  return url === null || !ADDRESS.test(url.protocol)
    ? Effect.fail(new CommandError({ message: `--${name} must be an http or https address` }))
    : Effect.succeed(url)
}

/** Events contain phones: they leave this machine only if somebody says where to. */
const forwardTo = (text: string, allowed: Option.Option<string>) =>
  Effect.filterOrFail(
    addressOf("forward", text),
    ({ hostname }) => LOOPBACK.test(hostname) || Option.contains(allowed, hostname),
    ({ hostname }) =>
      new CommandError({
        message: `--forward is not on this machine; to send events there, add --allow-host ${hostname}`
      })
  )

const serverAt = Effect.fnUntraced(function* (text: string) {
  const { href, hostname, protocol } = yield* addressOf("url", text)
  if (protocol === "http:" && !LOOPBACK.test(hostname)) {
    yield* Console.error("warning: the token and the events are not encrypted on their way: use https")
  }
  return href
})

const FIRST_WAIT_MILLIS = 1000
const LONGEST_WAIT_MILLIS = 10_000
/** Events that wait for the developer's program; then the server waits too. */
const WAITING = 1000
/** Events that are committed late come again on a new connection, with those around them. */
const REPEATED_MILLIS = 90_000

/** Which events a run has had. */
class Progress {
  /** Events before the run are not its own. */
  #from: string | null = null
  #last: string | null = null
  readonly #seen = new Set<string>()

  /** Where the next connection begins. */
  get after(): string | null {
    return this.#last
  }

  /** True for the first connection. */
  begin(after: string): boolean {
    if (this.#from !== null) return false
    this.#from = after
    this.#last = after
    return true
  }

  isNew(id: string): boolean {
    return id > (this.#from ?? "") && !this.#seen.has(id)
  }

  note(id: string): void {
    this.#seen.add(id)
    if (id > (this.#last ?? "")) this.#last = id
    const [oldest] = this.#seen
    if (oldest !== undefined && instantOf(id) - instantOf(oldest) > REPEATED_MILLIS) this.#seen.delete(oldest)
  }
}

const TypeOf = Schema.fromJsonString(Schema.Struct({ type: Schema.String }))

/** One line an event: neither its phone nor anything else of what is in it. */
const printForwarded = Effect.fnUntraced(function* ({ id, body }: ListenedEvent, forwarded: Forwarded) {
  const type = Option.match(Schema.decodeOption(TypeOf)(body), {
    onNone: () => "?",
    onSome: (event) => event.type
  })
  const { status, error, milliseconds } = forwarded
  const at = formatInstant(instantOf(id))
  const line = { at, type, id, status, milliseconds, ...(error === null ? {} : { error }) }
  const text = `${at}  ${type}  ${id}  ${status ?? error}  ${milliseconds} ms`
  yield* Console.log((yield* JsonFlag) ? shown(JSON.stringify(line)) : inOneLine(text))
})

type Connect<R> = (after: string | null) => Stream.Stream<Received, ConnectionLost | CommandError, R>

/** What the end of a stream means for the run. */
const endOf = ({ reason }: Extract<Received, { _tag: "End" }>) => {
  switch (reason) {
    case "token_ended":
      return new CommandError({ message: "the token was revoked, or has expired" })
    case "replaced":
      return new CommandError({ message: "the place of this listener is taken" })
    default:
      return new ConnectionLost({
        message: reason === "stopping" ? "the server stopped" : "its store is away"
      })
  }
}

/** Receives events until it is stopped, on one connection after the other, and forwards each once. */
const listenFor = <R>(connect: Connect<R>, forward: ReturnType<typeof forwarding>) => {
  const progress = new Progress()
  let wait = FIRST_WAIT_MILLIS
  const take = Effect.fnUntraced(function* (received: Received) {
    if (received._tag === "End") return yield* endOf(received)
    if (received._tag === "Ready") {
      wait = FIRST_WAIT_MILLIS
      return yield* Console.error(
        progress.begin(received.after) ? "listening; Ctrl-C ends it" : "connected again"
      )
    }
    const { event } = received
    if (!progress.isNew(event.id)) return
    yield* printForwarded(event, yield* forward(event))
    progress.note(event.id)
  })
  const once = Effect.suspend(() =>
    Stream.runForEach(Stream.buffer(connect(progress.after), { capacity: WAITING }), take)
  )
  const connection = Effect.andThen(once, new ConnectionLost({ message: "the connection ended" }))
  const again = Effect.catchTag(connection, "ConnectionLost", ({ message }) =>
    Effect.gen(function* () {
      const millis = Math.round(wait * (0.75 + (yield* Random.next) / 2))
      yield* Console.error(`${inOneLine(message)}; connecting again in ${(millis / 1000).toFixed(1)} s`)
      wait = Math.min(2 * wait, LONGEST_WAIT_MILLIS)
      yield* Effect.sleep(millis)
    })
  )
  return Effect.forever(again)
}

/** The events of a customer, from the store of this machine's server. */
const storedEvents =
  (customer: number, mode: KeyMode, id: string): Connect<WebhookListeners> =>
  (after) =>
    WebhookListeners.use((listeners) =>
      about(
        customer,
        listeners.open({
          actor: operatorActor(customer),
          origin: COMMAND_LINE,
          mode,
          listener: id,
          after,
          isAllowed: Effect.succeed(true)
        })
      )
    ).pipe(
      Effect.catchTag("service_unavailable", () => new ConnectionLost({ message: "too many are listening" })),
      Effect.catchTag(["conflict", "scope_insufficient"], refusedAction(`customer ${customer}`)),
      Effect.map(({ after: begin, items }) =>
        Stream.concat(
          Stream.make({ _tag: "Ready", after: begin } as const),
          Stream.filter(items, (item) => item._tag !== "Heartbeat")
        )
      ),
      Stream.unwrap
    )

const printStart = Effect.fnUntraced(function* (forward: URL, mode: KeyMode, secret: string) {
  const start = { forward: forward.href, mode, secret }
  yield* Console.log((yield* JsonFlag) ? JSON.stringify(start) : `${asLines(start)}\n`)
})

const flags = {
  forward: Flag.String("forward").pipe(
    Flag.withDescription("The address on this machine that gets the events: http://localhost:3000/hooks")
  ),
  url: optionalText("url", "The address of the server"),
  token: Flag.String("token").pipe(
    Flag.withFallbackConfig(Config.String("PEYK_TOKEN")),
    Flag.withDescription("A personal access token; PEYK_TOKEN if absent"),
    Flag.optional
  ),
  customer: customerFlag.pipe(
    Flag.withDescription("Without --url, on the server's own machine: the customer's id"),
    Flag.optional
  ),
  mode: Flag.Literals("mode", KeyMode.literals).pipe(
    Flag.withDescription("Events of the sandbox (test), or of live requests"),
    Flag.withDefault("test" as const)
  ),
  allowHost: optionalText("allow-host", "A name that --forward may have, if it is not this machine")
}

type Given = Command.Command.Config.Infer<typeof flags>

/** The run of these flags: on a server elsewhere, or on this machine's store. */
const runOf = Effect.fnUntraced(function* ({ mode, url, token, customer, forward, allowHost }: Given) {
  const target = yield* forwardTo(forward, allowHost)
  const random = yield* SecureRandom.SecureRandom
  const secret = yield* makeWebhookSecret(random)
  const id = yield* random.uuidV7()
  const post = forwarding(target.href, secret)
  const start = printStart(target, mode, secret)
  if (Option.isSome(url) && Option.isNone(customer)) {
    if (Option.isNone(token))
      return yield* new CommandError({ message: "--url needs --token, or PEYK_TOKEN" })
    const listener = { url: yield* serverAt(url.value), token: token.value, mode, id }
    const run = listenFor((after) => remoteEvents(listener, after), post)
    return Effect.mapError(Effect.andThen(start, run), forPerson)
  }
  if (Option.isNone(customer) || Option.isSome(url)) {
    return yield* new CommandError({ message: "give either --url URL --token TOKEN, or --customer ID" })
  }
  const { value } = customer
  const run = Effect.andThen(start, listenFor(storedEvents(value, mode, id), post))
  return withManagement(Effect.andThen(requireCustomer(value), run))
})

export const listen = Command.make("listen", flags, (given) =>
  Effect.flatMap(Effect.mapError(runOf(given), forPerson), (run) => run).pipe(Effect.provide(Crypto))
).pipe(Command.withDescription("Forward events to a program on this machine while you develop"))
