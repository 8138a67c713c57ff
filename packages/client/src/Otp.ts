import type { Body, Query, Success } from "./ApiTypes.ts"
import { type List, makeList } from "./Lists.ts"
import type { CallOptions, IdempotentOptions, Send } from "./Transport.ts"

type WithKey = { readonly idempotencyKey?: string }

const part = encodeURIComponent

/** Splits the idempotency key off a request's fields. */
export const withKey = <Fields extends WithKey>(
  { idempotencyKey, ...body }: Fields,
  options: CallOptions | undefined
): { readonly body: Omit<Fields, "idempotencyKey">; readonly options: IdempotentOptions } => ({
  body,
  options: { ...options, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
})

/** One-time codes, with a live key. */
export interface Otp {
  /** Sends a code. Repeated after a lost response, it sends no second one. */
  readonly send: (request: Body<"otp.send"> & WithKey, options?: CallOptions) => Promise<Success<"otp.send">>
  /** Checks a code that a user entered. Only `verified: true` is success. It is never repeated: each try counts. */
  readonly verify: (request: Body<"otp.verify">, options?: CallOptions) => Promise<Success<"otp.verify">>
  readonly status: (verificationId: string, options?: CallOptions) => Promise<Success<"otp.status">>
  /** Tries the next channel now. With `from_sequence`, only if no later attempt exists yet. */
  readonly next: (
    verificationId: string,
    request?: { readonly from_sequence?: number },
    options?: CallOptions
  ) => Promise<Success<"otp.next">>
  /** Ends a verification: no further channel is tried. */
  readonly cancel: (verificationId: string, options?: CallOptions) => Promise<Success<"otp.cancel">>
  readonly list: List<Success<"otp.list">["data"][number], Query<"otp.list">>
}

/** The same in the sandbox, with a test key. */
export interface SandboxOtp {
  readonly send: (request: Body<"sandbox.send">, options?: CallOptions) => Promise<Success<"sandbox.send">>
  readonly verify: (
    request: Body<"sandbox.verify">,
    options?: CallOptions
  ) => Promise<Success<"sandbox.verify">>
  readonly status: (verificationId: string, options?: CallOptions) => Promise<Success<"sandbox.status">>
  readonly next: (
    verificationId: string,
    request?: { readonly from_sequence?: number },
    options?: CallOptions
  ) => Promise<Success<"sandbox.next">>
  readonly cancel: (verificationId: string, options?: CallOptions) => Promise<Success<"sandbox.cancel">>
  readonly list: List<Success<"sandbox.list">["data"][number], Query<"sandbox.list">>
}

const credential = "apiKey"

const makeCalls = (send: Send, root: string) => {
  const at = (id: string, action = "") => `${root}/${part(id)}${action}`
  return {
    verify: <A>(body: unknown, options?: CallOptions) =>
      send<A>({ method: "POST", path: `${root}/verify`, credential, body, options }),
    status: <A>(id: string, options?: CallOptions) =>
      send<A>({ method: "GET", path: at(id), credential, options }),
    next: <A>(id: string, body: { readonly from_sequence?: number } = {}, options?: CallOptions) => {
      const isSafe = body.from_sequence !== undefined
      return send<A>({ method: "POST", path: at(id, "/next"), credential, body, isSafe, options })
    },
    cancel: <A>(id: string, options?: CallOptions) =>
      send<A>({ method: "POST", path: at(id, "/cancel"), credential, isSafe: true, options }),
    list: <A>(query: Readonly<Record<string, unknown>> | undefined, options: CallOptions | undefined) =>
      send<A>({ method: "GET", path: root, credential, query, options })
  }
}

export const makeOtp = (send: Send): Otp => {
  const root = "/v1/otp"
  const calls = makeCalls(send, root)
  return {
    ...calls,
    send: (request, options) =>
      send({
        method: "POST",
        path: `${root}/send`,
        credential,
        isIdempotent: true,
        ...withKey(request, options)
      }),
    list: makeList((query, options) => calls.list(query, options))
  }
}

export const makeSandboxOtp = (send: Send): SandboxOtp => {
  const root = "/v1/sandbox/otp"
  const calls = makeCalls(send, root)
  return {
    ...calls,
    send: (body, options) => send({ method: "POST", path: `${root}/send`, credential, body, options }),
    list: makeList((query, options) => calls.list(query, options))
  }
}
