import type { Body, Query, Success } from "./ApiTypes.ts"
import { knownFields } from "./knownFields.ts"
import { type List, makeList } from "./Lists.ts"
import type { CallOptions, IdempotencyKey, IdempotentOptions, Send } from "./Transport.ts"

/** Splits the idempotency key off a request's fields. */
export const withKey = <Fields extends IdempotencyKey>(
  { idempotencyKey, ...body }: Fields,
  options: CallOptions | undefined
): { readonly body: Omit<Fields, "idempotencyKey">; readonly options: IdempotentOptions } => ({
  body,
  options: idempotencyKey === undefined ? { ...options } : { ...options, idempotencyKey }
})

/** Which channel to try: the next one, if none is named. */
export type NextRequest = Body<"otp.next">

/** One-time codes, with a live key. */
export interface Otp {
  /** Sends a code. Repeated after a lost response, it sends no second one. */
  readonly send: (
    request: Body<"otp.send"> & IdempotencyKey,
    options?: CallOptions
  ) => Promise<Success<"otp.send">>
  /** Checks a code that a user entered. Only `verified: true` is success. It is never repeated: each try counts. */
  readonly verify: (request: Body<"otp.verify">, options?: CallOptions) => Promise<Success<"otp.verify">>
  readonly status: (verificationId: string, options?: CallOptions) => Promise<Success<"otp.status">>
  /** Tries the next channel now. With `from_sequence`, only if no later attempt exists yet. */
  readonly next: (
    verificationId: string,
    request?: NextRequest,
    options?: CallOptions
  ) => Promise<Success<"otp.next">>
  /** Ends a verification: no further channel is tried. */
  readonly cancel: (verificationId: string, options?: CallOptions) => Promise<Success<"otp.cancel">>
  readonly list: List<Success<"otp.list">["data"][number], Query<"otp.list">>
  /** What a send with these fields would do now. It sends, charges and counts nothing. */
  readonly preview: (request: Body<"otp.preview">, options?: CallOptions) => Promise<Success<"otp.preview">>
}

/** The same in the sandbox, with a test key. */
export interface SandboxOtp {
  readonly send: (
    request: Body<"sandbox.send"> & IdempotencyKey,
    options?: CallOptions
  ) => Promise<Success<"sandbox.send">>
  readonly verify: (
    request: Body<"sandbox.verify">,
    options?: CallOptions
  ) => Promise<Success<"sandbox.verify">>
  readonly status: (verificationId: string, options?: CallOptions) => Promise<Success<"sandbox.status">>
  readonly next: (
    verificationId: string,
    request?: NextRequest,
    options?: CallOptions
  ) => Promise<Success<"sandbox.next">>
  readonly cancel: (verificationId: string, options?: CallOptions) => Promise<Success<"sandbox.cancel">>
  readonly list: List<Success<"sandbox.list">["data"][number], Query<"sandbox.list">>
}

const credential = "apiKey"

const makeCalls = (send: Send, root: string, group: "otp" | "sandbox") => {
  const one = `${root}/{verification_id}`
  return {
    send: <A>(request: IdempotencyKey, options?: CallOptions) => {
      const given = withKey(request, options)
      const known = knownFields[`${group}.send`]
      return send<A>({
        method: "POST",
        path: `${root}/send`,
        credential,
        known,
        isIdempotent: true,
        ...given
      })
    },
    verify: <A>(body: unknown, options?: CallOptions) =>
      send<A>({
        method: "POST",
        path: `${root}/verify`,
        credential,
        body,
        known: knownFields[`${group}.verify`],
        options
      }),
    status: <A>(verification_id: string, options?: CallOptions) =>
      send<A>({ method: "GET", path: one, ids: { verification_id }, credential, options }),
    next: <A>(verification_id: string, body: NextRequest = {}, options?: CallOptions) => {
      const isSafe = typeof body.from_sequence === "number"
      const ids = { verification_id }
      const known = knownFields[`${group}.next`]
      return send<A>({ method: "POST", path: `${one}/next`, ids, credential, body, known, isSafe, options })
    },
    cancel: <A>(verification_id: string, options?: CallOptions) => {
      const ids = { verification_id }
      return send<A>({ method: "POST", path: `${one}/cancel`, ids, credential, isSafe: true, options })
    },
    list: makeList<never, Readonly<Record<string, unknown>>>((query, options) =>
      send({ method: "GET", path: root, credential, query, known: knownFields[`${group}.list`], options })
    )
  }
}

export const makeOtp = (send: Send): Otp => ({
  ...makeCalls(send, "/v1/otp", "otp"),
  preview: (body, options) =>
    send({
      method: "POST",
      path: "/v1/otp/preview",
      credential,
      body,
      known: knownFields["otp.preview"],
      isSafe: true,
      options
    })
})

export const makeSandboxOtp = (send: Send): SandboxOtp => makeCalls(send, "/v1/sandbox/otp", "sandbox")
