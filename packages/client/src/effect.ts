/** The client for programs that use Effect: a service, its layer, and tagged errors. */
import { Config, Context, Data, Effect, Layer, Redacted } from "effect"
import { type Client, makeClient } from "./Client.ts"
import { type ErrorCode, PeykError } from "./PeykError.ts"
import { type Call, type ClientOptions, makeSend, type Send } from "./Transport.ts"
import {
  verifyWebhook as verify,
  type WebhookEvent,
  type WebhookRequest,
  WebhookVerificationError
} from "./Webhooks.ts"

/** A failed call. Its tag is the code: `Effect.catchTag("insufficient_balance", …)`. */
export type PeykFailure = {
  [Code in ErrorCode]: Extract<PeykError, { readonly code: Code }> & { readonly _tag: Code }
}[ErrorCode]

const tag = (error: PeykError): PeykFailure =>
  Object.assign(error, { _tag: error.code }) as unknown as PeykFailure

type Effectful<T> = T extends (...args: infer Args) => Promise<infer A>
  ? ((...args: Args) => Effect.Effect<A, PeykFailure>) & Pick<T, Extract<keyof T, "all">>
  : { readonly [Key in keyof T]: Effectful<T[Key]> }

/** Interruption ends the request. Anything but a failed call is a defect. */
const callEffect = (send: Send, call: Call) =>
  Effect.promise((interruption) => {
    const given = call.options?.signal
    const signal = given === undefined ? interruption : AbortSignal.any([given, interruption])
    return send({ ...call, options: { ...call.options, signal } }).then(
      (value) => Effect.succeed(value),
      (error: unknown) => (error instanceof PeykError ? Effect.fail(tag(error)) : Effect.die(error))
    )
  }).pipe(Effect.flatten)

/** What `makeClient` builds over a `send` that returns an effect has effects where the client has promises. */
const wrap = (effects: unknown, promises: unknown): unknown => {
  if (typeof effects === "function" && typeof promises === "function") {
    const call = (...args: ReadonlyArray<unknown>) => Effect.suspend(() => effects(...args))
    return "all" in promises ? Object.assign(call, { all: promises.all }) : call
  }
  const ofPromises = promises as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(effects as object).map(([key, each]) => [key, wrap(each, ofPromises[key])])
  )
}

const makeEffectClient = (options: ClientOptions): EffectClient => {
  const send = makeSend(options)
  const effects = makeClient(((call: Call) => callEffect(send, call)) as unknown as Send)
  return wrap(effects, makeClient(send)) as EffectClient
}

/** Every call of the client, as an effect. */
export type EffectClient = Effectful<Client>

export class Peyk extends Context.Service<Peyk, EffectClient>()("@peyk/client/effect/Peyk") {
  static readonly layer = (options: ClientOptions): Layer.Layer<Peyk> =>
    Layer.sync(Peyk, () => makeEffectClient(options))

  /** From `PEYK_URL`, `PEYK_API_KEY` and, if present, `PEYK_TOKEN`. */
  static readonly layerConfig = Layer.unwrap(
    Effect.gen(function* () {
      const baseUrl = yield* Config.String("PEYK_URL")
      const apiKey = Redacted.value(yield* Config.Redacted("PEYK_API_KEY"))
      const token = yield* Config.option(Config.Redacted("PEYK_TOKEN"))
      const given = token._tag === "Some" ? { token: Redacted.value(token.value) } : {}
      return Peyk.layer({ baseUrl, apiKey, ...given })
    })
  )
}

/** The request did not come from Peyk, was changed, or is too old. */
export class InvalidWebhook extends Data.TaggedError("InvalidWebhook")<{ readonly message: string }> {}

export const verifyWebhook = (request: WebhookRequest): Effect.Effect<WebhookEvent, InvalidWebhook> =>
  Effect.promise(() =>
    verify(request).then(
      (event) => Effect.succeed(event),
      (error: unknown) =>
        error instanceof WebhookVerificationError
          ? Effect.fail(new InvalidWebhook({ message: error.message }))
          : Effect.die(error)
    )
  ).pipe(Effect.flatten)
