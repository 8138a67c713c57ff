import { Data } from "effect"
import { type FieldProblem, problem, type Problem } from "./Problem.ts"
import { textOf } from "./ProblemTexts.ts"

/**
 * Each error's tag is its code in the error envelope. `http/errors/ErrorTable.ts` has their HTTP statuses and texts.
 * `details` appears in the envelope; where it has words, those of the problem in English.
 */
export class Unauthenticated extends Data.TaggedError("unauthenticated") {}
/** The password was right, and a second factor is needed too. */
export class SecondFactorRequired extends Data.TaggedError("second_factor_required") {}
export class TestKeyNotAllowed extends Data.TaggedError("test_key_not_allowed") {}
export class LiveKeyNotAllowed extends Data.TaggedError("live_key_not_allowed") {}
export class ScopeInsufficient extends Data.TaggedError("scope_insufficient") {}
/** What gives access needs a recent sign-in. */
export class StaleSignIn extends Data.TaggedError("scope_insufficient") {
  readonly problem = problem("stale_sign_in")
  get details() {
    return { reason: textOf(this.problem) }
  }
}
/** The resource has a different version from the one that the change expects. */
export class PreconditionFailed extends Data.TaggedError("precondition_failed")<{
  readonly details: { readonly version: number }
}> {}
/** A field is well formed, but its value is impossible. */
export class ValidationError extends Data.TaggedError("validation_error")<{
  readonly problems: ReadonlyArray<FieldProblem>
}> {
  get details() {
    return { errors: this.problems.map(({ path, problem }) => ({ path, message: textOf(problem) })) }
  }
}
/** What may need an account or a template: the saved order, or codes and messages that have not ended. */
export type UsedBy = "routing" | "codes" | "messages"
/** The resource to remove or change is still in use. */
export class Conflict extends Data.TaggedError("conflict")<{
  readonly problem: Problem
  readonly usedBy?: UsedBy
}> {
  get details() {
    return {
      reason: textOf(this.problem),
      ...(this.usedBy === undefined ? {} : { used_by: this.usedBy })
    }
  }
}
export class IpNotAllowed extends Data.TaggedError("ip_not_allowed") {}
export class TooManySignIns extends Data.TaggedError("too_many_sign_ins")<{
  readonly retryAfterSeconds: number
}> {}
export class NotFound extends Data.TaggedError("not_found") {}
export class ServiceUnavailable extends Data.TaggedError("service_unavailable") {}

export class TooManyRequestsApiKey extends Data.TaggedError("too_many_requests_api_key")<{
  readonly retryAfterSeconds: number
  readonly limit: number
}> {}
export class TooManyRequestsPhoneHour extends Data.TaggedError("too_many_requests_phone_hour")<{
  readonly retryAfterSeconds: number
  /** Many customers send to this phone at once. */
  readonly isBombed?: boolean
}> {}
export class TooManyRequestsPhoneDay extends Data.TaggedError("too_many_requests_phone_day")<{
  readonly retryAfterSeconds: number
}> {}
/** The customer's deny list has the phone, its prefix or the client's address. */
export class BlockedPhone extends Data.TaggedError("blocked_phone") {}
/** The guard refuses a code that looks like abuse. */
export class SuspectedFraud extends Data.TaggedError("suspected_fraud")<{
  readonly retryAfterSeconds: number
}> {}
export class QuotaExceeded extends Data.TaggedError("quota_exceeded")<{
  readonly retryAfterSeconds: number
}> {}
export class InsufficientBalance extends Data.TaggedError("insufficient_balance") {}

export class IdempotencyRequired extends Data.TaggedError("idempotency_required") {}
export class IdempotencyKeyTooLong extends Data.TaggedError("idempotency_key_too_long") {}
export class IdempotencyKeyConflict extends Data.TaggedError("idempotency_key_conflict") {}
export class IdempotencyKeyInProgress extends Data.TaggedError("idempotency_key_in_progress") {}

/** The status in which the verification ended. */
export class VerificationEnded extends Data.TaggedError("verification_ended")<{
  readonly details: { readonly status: string }
}> {}

/** All channels were tried or skipped. */
export class NoNextChannel extends Data.TaggedError("no_next_channel") {}

/** `status`: what the message has become; `sending` while a provider is being called. */
export class MessageEnded extends Data.TaggedError("message_ended")<{
  readonly details: { readonly status: string }
}> {}

export class InvalidPhone extends Data.TaggedError("invalid_phone") {}
export class InvalidChannel extends Data.TaggedError("invalid_channel")<{
  readonly details: { readonly channel: string } | { readonly provider: string }
}> {}
export class DuplicateChannel extends Data.TaggedError("duplicate_channel")<{
  readonly details: { readonly channel: string }
}> {}
export class FallbackOrderRequired extends Data.TaggedError("fallback_order_required") {}
export class NoCredentials extends Data.TaggedError("no_credentials") {}
export class ChannelUnavailable extends Data.TaggedError("channel_unavailable")<{
  readonly channel: string
  readonly problem?: Problem
}> {
  get details() {
    return {
      channel: this.channel,
      ...(this.problem === undefined ? {} : { reason: textOf(this.problem) })
    }
  }
}
export class ChannelAmbiguous extends Data.TaggedError("channel_ambiguous")<{
  readonly details: { readonly channel: string; readonly account_ids: ReadonlyArray<number> }
}> {}
export class ChannelAccountNotFound extends Data.TaggedError("channel_account_not_found")<{
  readonly details: { readonly account_id: number }
}> {}
export class ChannelAccountMismatch extends Data.TaggedError("channel_account_mismatch")<{
  readonly details: { readonly account_id: number; readonly channel: string }
}> {}
export class SharedSenderNotAllowed extends Data.TaggedError("shared_sender_not_allowed") {}
export class SharedSenderUnavailable extends Data.TaggedError("shared_sender_unavailable")<{
  readonly details: { readonly channel: string }
}> {}
/** The account lacks one of these settings. */
export class SmsMessageConfigMissing extends Data.TaggedError("sms_message_config_missing")<{
  readonly details: { readonly account_id: number; readonly settings: ReadonlyArray<string> }
}> {}

export class TemplateNotFound extends Data.TaggedError("template_not_found")<{
  readonly details: { readonly template_id: number }
}> {}
export class TemplateInvalid extends Data.TaggedError("template_invalid")<{
  readonly templateId: number
  readonly problem: Problem
}> {
  get details() {
    return { template_id: this.templateId, reason: textOf(this.problem) }
  }
}

export class TemplateParametersMismatch extends Data.TaggedError("template_parameters_mismatch")<{
  readonly details: {
    readonly template_id: number
    readonly expected: ReadonlyArray<string>
    readonly missing: ReadonlyArray<string>
    readonly extra: ReadonlyArray<string>
  }
}> {}

export class MessageRequired extends Data.TaggedError("message_required") {}
export class MessageTooLong extends Data.TaggedError("message_too_long")<{
  readonly details: { readonly length: number; readonly maximum: number }
}> {}
export class ChannelsRequired extends Data.TaggedError("channels_required") {}
export class InvalidStrategy extends Data.TaggedError("invalid_strategy") {}
export class InvalidDelay extends Data.TaggedError("invalid_delay") {}
export class ScheduleMustBeFuture extends Data.TaggedError("schedule_must_be_future") {}
export class ScheduleTooFar extends Data.TaggedError("schedule_too_far") {}

export type RouteError =
  | InvalidChannel
  | DuplicateChannel
  | FallbackOrderRequired
  | NoCredentials
  | ChannelUnavailable
  | ChannelAmbiguous
  | ChannelAccountNotFound
  | ChannelAccountMismatch
  | SharedSenderNotAllowed
  | SharedSenderUnavailable
  | SmsMessageConfigMissing

/** The errors that can refuse a request when it is accepted. */
export type AdmissionError =
  | TooManyRequestsPhoneHour
  | TooManyRequestsPhoneDay
  | QuotaExceeded
  | InsufficientBalance
export type IdempotencyError = IdempotencyKeyConflict | IdempotencyKeyInProgress
export type TemplateError = TemplateNotFound | TemplateInvalid

/** The error of one field of a body; all problems are those of this field. */
export const fieldError = (field: string, ...problems: ReadonlyArray<Problem>): ValidationError =>
  new ValidationError({ problems: problems.map((each) => ({ path: `body.${field}`, problem: each })) })
