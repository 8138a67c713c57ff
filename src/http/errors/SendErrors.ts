import { documentedError } from "./Envelope.ts"
import type { ErrorCode } from "./ErrorTable.ts"

export const errors = (...codes: ReadonlyArray<ErrorCode>) => codes.map(documentedError)

const nameErrors: ReadonlyArray<ErrorCode> = ["invalid_phone", "invalid_channel", "duplicate_channel"]

const accountErrors: ReadonlyArray<ErrorCode> = [
  "channel_unavailable",
  "channel_ambiguous",
  "channel_account_not_found",
  "channel_account_mismatch",
  "sms_message_config_missing"
]

const keyErrors: ReadonlyArray<ErrorCode> = ["idempotency_key_conflict", "idempotency_key_in_progress"]

/** The errors that can refuse any request that really sends. */
const liveSendErrors: ReadonlyArray<ErrorCode> = [
  ...nameErrors,
  ...keyErrors,
  ...accountErrors,
  "template_not_found",
  "template_invalid",
  "too_many_requests_phone_hour",
  "too_many_requests_phone_day",
  "quota_exceeded",
  "insufficient_balance"
]

export const codeSendErrors: ReadonlyArray<ErrorCode> = [
  ...liveSendErrors,
  "fallback_order_required",
  "no_credentials",
  "shared_sender_not_allowed",
  "shared_sender_unavailable",
  "blocked_phone",
  "suspected_fraud"
]

export const messageSendErrors: ReadonlyArray<ErrorCode> = [
  ...liveSendErrors,
  "message_required",
  "message_too_long",
  "channels_required",
  "invalid_strategy",
  "invalid_delay",
  "schedule_must_be_future",
  "schedule_too_far",
  "template_parameters_mismatch"
]

/** The errors of a simulated code: routes are names only, and some phones force a refusal. */
export const simulatedCodeErrors: ReadonlyArray<ErrorCode> = [
  ...nameErrors,
  ...keyErrors,
  "too_many_requests_phone_hour",
  "insufficient_balance"
]

/** The errors of a simulated message: routes are names only, and some phones force a refusal. */
export const simulatedMessageErrors = messageSendErrors.filter(
  (code) =>
    !accountErrors.includes(code) && code !== "too_many_requests_phone_day" && code !== "quota_exceeded"
)
