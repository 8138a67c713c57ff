import { type AttemptErrorCode, attemptErrors, isUncertain } from "../account/ProviderOutcome.ts"
import type { Instant } from "../Instant.ts"
import type { ChannelDescriptor } from "../routing/Channel.ts"
import type { Message, MessageAttempt } from "./Message.ts"

export interface MessageAttemptView {
  readonly sequence: number
  readonly channel: ChannelDescriptor
  readonly status: MessageAttempt["status"]
  readonly errorCode: AttemptErrorCode | null
  readonly errorMessage: string | null
  readonly providerError: string | null
  readonly dueAt: Instant
  readonly attemptedAt: Instant | null
  readonly finishedAt: Instant | null
}

/** The fields of a message that readers see. */
export type ShownMessage = Pick<
  Message,
  | "id"
  | "phone"
  | "status"
  | "strategy"
  | "route"
  | "template"
  | "metadata"
  | "attempts"
  | "scheduledFor"
  | "createdAt"
  | "completedAt"
>

const attemptView = ({ route }: ShownMessage, attempt: MessageAttempt): MessageAttemptView => ({
  sequence: attempt.step + 1,
  channel: (route[attempt.step] ?? route[0]).descriptor,
  status: attempt.status,
  errorCode: attempt.error_code,
  errorMessage: attempt.error_code === null ? null : attemptErrors[attempt.error_code],
  providerError: attempt.provider_error,
  dueAt: attempt.due_at,
  attemptedAt: attempt.attempted_at,
  finishedAt: attempt.finished_at
})

export interface MessageView extends Pick<
  Message,
  | "id"
  | "status"
  | "phone"
  | "strategy"
  | "scheduledFor"
  | "template"
  | "metadata"
  | "createdAt"
  | "completedAt"
> {
  readonly successfulAttempts: number
  readonly failedAttempts: number
  /** The failed ones that may have been delivered. */
  readonly unknownAttempts: number
  readonly attempts: ReadonlyArray<MessageAttemptView>
}

/** The response of the status endpoint. */
export const viewMessage = (message: ShownMessage): MessageView => {
  // Routes of a broadcast begin together, so they appear in the order of the request.
  const attempts =
    message.strategy === "broadcast"
      ? message.attempts.toSorted((one, other) => one.step - other.step)
      : message.attempts
  const count = (status: MessageAttempt["status"]) =>
    attempts.filter((attempt) => attempt.status === status).length
  const { id, status, phone, strategy, scheduledFor, template, metadata, createdAt, completedAt } = message
  return {
    id,
    status,
    phone,
    strategy,
    scheduledFor,
    template,
    metadata,
    createdAt,
    completedAt,
    successfulAttempts: count("sent"),
    failedAttempts: count("failed"),
    unknownAttempts: attempts.filter((attempt) => attempt.status === "failed" && isUncertain(attempt)).length,
    attempts: attempts.map((attempt) => attemptView(message, attempt))
  }
}
