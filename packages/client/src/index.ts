/** Client of Peyk: one-time codes and messages for Iranian phones. */
import type { Success } from "./ApiTypes.ts"
import { makeManage, type Manage } from "./Manage.ts"
import { makeMessages, type Messages } from "./Messages.ts"
import { makeOtp, makeSandboxOtp, type Otp, type SandboxOtp } from "./Otp.ts"
import { type CallOptions, type ClientOptions, makeSend } from "./Transport.ts"

export interface Client {
  readonly otp: Otp
  readonly messages: Messages
  /** Everything with a test key: nothing is sent, and the code is 123456. */
  readonly sandbox: SandboxOtp & { readonly messages: Messages }
  /** The customer's plan, limits, prices, quota and wallet, for a service key. */
  readonly account: (options?: CallOptions) => Promise<Success<"account.read">>
  readonly manage: Manage
}

/** Keep keys in a backend: a page that has one gives it to every visitor. */
export const createClient = (options: ClientOptions): Client => {
  const send = makeSend(options)
  return {
    otp: makeOtp(send),
    messages: makeMessages(send, "/v1/messages"),
    sandbox: { ...makeSandboxOtp(send), messages: makeMessages(send, "/v1/sandbox/messages") },
    account: (call) => send({ method: "GET", path: "/v1/account", credential: "apiKey", options: call }),
    manage: makeManage(send)
  }
}

export type { Body, OperationId, Query, Success } from "./ApiTypes.ts"
export type { List, Page } from "./Lists.ts"
export type { Manage } from "./Manage.ts"
export type { Messages } from "./Messages.ts"
export type { Otp, SandboxOtp } from "./Otp.ts"
export type { ApiErrorCode, ClientErrorCode, ErrorCode, ErrorDetails, ValidationIssue } from "./PeykError.ts"
export { isPeykError, PeykError } from "./PeykError.ts"
export type { CallOptions, ClientOptions, IdempotentOptions } from "./Transport.ts"
export type { WebhookEvent, WebhookRequest } from "./Webhooks.ts"
export { verifyWebhook, WebhookVerificationError } from "./Webhooks.ts"
