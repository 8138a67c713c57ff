/** Client of Peyk: one-time codes and messages for Iranian phones. */
import { type Client, makeClient } from "./Client.ts"
import { type ClientOptions, makeSend } from "./Transport.ts"

/** Keep keys in a backend: a page that has one gives it to every visitor. */
export const createClient = (options: ClientOptions): Client => makeClient(makeSend(options))

export type { Body, OperationId, Query, Success } from "./ApiTypes.ts"
export type { Client } from "./Client.ts"
export type { List, Page } from "./Lists.ts"
export type { Manage } from "./Manage.ts"
export type { Messages } from "./Messages.ts"
export type { Otp, SandboxOtp } from "./Otp.ts"
export type { ApiErrorCode, ClientErrorCode, ErrorCode, ErrorDetails, ValidationIssue } from "./PeykError.ts"
export { isPeykError, PeykError } from "./PeykError.ts"
export type { CallOptions, ClientOptions, IdempotentOptions } from "./Transport.ts"
export type { WebhookEvent, WebhookRequest } from "./Webhooks.ts"
export { verifyWebhook, WebhookVerificationError } from "./Webhooks.ts"
