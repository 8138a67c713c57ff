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
  readonly manage: Manage
}

export const makeClient = (send: Send): Client => ({
  otp: makeOtp(send),
  messages: makeMessages(send, "/v1/messages"),
  sandbox: { ...makeSandboxOtp(send), messages: makeMessages(send, "/v1/sandbox/messages") },
  account: (options) => send({ method: "GET", path: "/v1/account", credential: "apiKey", options }),
  manage: makeManage(send)
})
