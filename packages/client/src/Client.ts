import type { Success } from "./ApiTypes.ts"
import { makeManage, type Manage } from "./Manage.ts"
import { makeMessages, type Messages } from "./Messages.ts"
import { makeOtp, makeSandboxOtp, type Otp, type SandboxOtp } from "./Otp.ts"
import type { CallOptions, Send } from "./Transport.ts"

export interface Client {
  readonly otp: Otp
  readonly messages: Messages
  /** Everything with a test key: nothing is sent, and the code is 123456. */
  readonly sandbox: SandboxOtp & { readonly messages: Messages }
  /** The customer's plan, limits, prices, quota and wallet, for a service key. */
  readonly account: (options?: CallOptions) => Promise<Success<"account.read">>
  /** What your own records have of a phone. The phone is not in the path of the request. */
  readonly lookup: (phone: string, options?: CallOptions) => Promise<Success<"lookup.post">>
  readonly manage: Manage
}

export const makeClient = (send: Send): Client => ({
  otp: makeOtp(send),
  messages: makeMessages(send, "/v1/messages"),
  sandbox: { ...makeSandboxOtp(send), messages: makeMessages(send, "/v1/sandbox/messages") },
  account: (options) => send({ method: "GET", path: "/v1/account", credential: "apiKey", options }),
  lookup: (phone, options) =>
    send({
      method: "POST",
      path: "/v1/phones/lookup",
      credential: "apiKey",
      body: { phone },
      isSafe: true,
      options
    }),
  manage: makeManage(send)
})
