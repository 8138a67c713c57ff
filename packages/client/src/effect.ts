/** The client for programs that use Effect: a service, its layer, and tagged errors. */
import { Config, Context, Data, Effect, Layer, Redacted } from "effect"
import { type Client, createClient, type ErrorCode, PeykError, type WebhookEvent } from "./index.ts"
import type { ClientOptions } from "./Transport.ts"
import { verifyWebhook as verify, type WebhookRequest, WebhookVerificationError } from "./Webhooks.ts"

/** A failed call. Its tag is the code: `Effect.catchTag("insufficient_balance", …)`. */
export type PeykFailure = {
  [Code in ErrorCode]: Extract<PeykError, { readonly code: Code }> & { readonly _tag: Code }
}[ErrorCode]

const tag = (error: PeykError): PeykFailure =>
  Object.assign(error, { _tag: error.code }) as unknown as PeykFailure

type Effectful<T> = T extends (...args: infer Args) => Promise<infer A>
  ? ((...args: Args) => Effect.Effect<A, PeykFailure>) & Pick<T, Extract<keyof T, "all">>
  : { readonly [Key in keyof T]: Effectful<T[Key]> }

/** Anything but a failed call is a defect. */
const wrapCall =
  (call: (...args: ReadonlyArray<unknown>) => Promise<unknown>) =>
  (...args: ReadonlyArray<unknown>) =>
    Effect.promise(() =>
      call(...args).then(
        (value) => Effect.succeed(value),
        (error: unknown) => (error instanceof PeykError ? Effect.fail(tag(error)) : Effect.die(error))
      )
    ).pipe(Effect.flatten)

const wrap = (value: unknown): unknown => {
  if (typeof value === "function") {
    const call = wrapCall(value as never)
    return "all" in value ? Object.assign(call, { all: value.all }) : call
  }
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, wrap(each)]))
}

/** Every call of the client, as an effect. */
export type EffectClient = Effectful<Client>

export class Peyk extends Context.Service<Peyk, EffectClient>()("@peyk/client/effect/Peyk") {
  static readonly layer = (options: ClientOptions): Layer.Layer<Peyk> =>
    Layer.sync(Peyk, () => wrap(createClient(options)) as EffectClient)

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
