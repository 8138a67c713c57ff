import type {
  AdmissionError,
  BlockedPhone,
  InvalidPhone,
  RouteError,
  SuspectedFraud,
  TemplateError
} from "../../../domain/Errors.ts"
import type { Locale } from "../../../domain/message/CodeText.ts"
import type { Client } from "../../../domain/people/Client.ts"
import type { ChannelDescriptor } from "../../../domain/routing/Channel.ts"
import type { RouteRequest } from "../../../domain/routing/RouteRequest.ts"
import type { SandboxRefusal } from "../../../domain/verification/SandboxPhone.ts"
import { expiresInSeconds, sendAnswer, type Verification } from "../../../domain/verification/Verification.ts"
import type { CreatingRequest } from "../../customer/Idempotency.ts"

export interface SendRequest extends RouteRequest, CreatingRequest {
  readonly customerId: number
  readonly phone: string
  /** The language of the default text; absent: the customer's. */
  readonly locale?: Locale | undefined
  /** JSON text of an object. */
  readonly metadata?: string | undefined
  readonly client?: Client | undefined
}

export interface SendAnswer {
  readonly verificationId: string
  readonly status: "queued" | "failed"
  readonly currentAttemptChannel: ChannelDescriptor
  /** Whole seconds. */
  readonly expiresIn: number
  /** An earlier request with the same idempotency key created this verification. */
  readonly replayed: boolean
}

/** Why a request is refused before anything of it is stored. */
export type Refusal =
  | InvalidPhone
  | RouteError
  | TemplateError
  | BlockedPhone
  | SuspectedFraud
  | AdmissionError
  | SandboxRefusal

export const toAnswer = (verification: Verification, replayed: boolean): SendAnswer => {
  const { status, channel } = sendAnswer(verification)
  return {
    verificationId: verification.id,
    status,
    currentAttemptChannel: channel,
    expiresIn: expiresInSeconds(verification),
    replayed
  }
}
