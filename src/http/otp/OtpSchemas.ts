import { Schema } from "effect"
import { ChannelDescriptor } from "../../domain/routing/Channel.ts"
import { type Principal, WaitSeconds } from "../../domain/people/Customer.ts"
import { foldDigits } from "../../domain/text/Digits.ts"
import { formatInstant, type Instant } from "../../domain/Instant.ts"
import { normalPhone } from "../../domain/Phone.ts"
import { AttemptErrorCode } from "../../domain/account/ProviderOutcome.ts"
import { type StepRequest, stepProblems } from "../../domain/routing/Route.ts"
import {
  type Verification,
  VerificationStatus,
  type VerificationView,
  viewVerification
} from "../../domain/verification/Verification.ts"
import type { SendAnswer, SendRequest } from "../../services/verification/VerificationSends.ts"
import { optional, PositiveInt, ResourceId } from "../WireSchemas.ts"

const ChannelObject = Schema.Struct({
  channel: Schema.String.annotate({
    description: "eitaa, bale, soroushplus, rubika or sms; telegram with an account of Telegram Gateway"
  }),
  account_id: optional(PositiveInt).annotateKey({
    description: "The exact account, when several serve the channel."
  }),
  sender: optional(Schema.Literal("shared")).annotateKey({
    description: "The platform's account; start plan only."
  }),
  provider: optional(Schema.String).annotateKey({ description: "For sms only, e.g. smsir." }),
  wait: optional(WaitSeconds).annotateKey({ description: "Seconds to wait before the next channel." })
})
  .check(Schema.makeFilter(stepProblems))
  .annotate({ identifier: "ChannelObject" })

const Channels = Schema.Union([
  Schema.String,
  Schema.Array(Schema.Union([Schema.String, ChannelObject])).check(Schema.isMinLength(1))
]).annotate({ description: "One channel name, or a list of names or channel objects, in order." })

export const TemplateId = Schema.Union([
  PositiveInt,
  Schema.String.check(Schema.isPattern(/^[1-9]\d{0,14}$/))
])

const Phone = Schema.String.annotate({
  description: "An Iranian mobile number: 0912…, +98912…, 0098912… or 912…",
  examples: ["09121234567"]
})

export const SendBody = Schema.Struct({
  phone: Phone,
  channels: optional(Channels),
  channel_timeout: optional(WaitSeconds),
  template_id: optional(TemplateId)
}).annotate({ identifier: "OtpSendRequest" })

export const SandboxSendBody = Schema.Struct({ phone: Phone, channels: optional(Channels) }).annotate({
  identifier: "SandboxOtpSendRequest"
})

/** 1–10 digits, ASCII or Persian. */
const Code = Schema.String.check(
  Schema.makeFilter((text: string) => /^\d{1,10}$/.test(foldDigits(text)) || "Expected 1 to 10 digits")
)

export const VerifyBody = Schema.Struct({ verification_id: ResourceId, code: Code }).annotate({
  identifier: "OtpVerifyRequest"
})

const NextFields = Schema.Struct({
  from_sequence: optional(PositiveInt).annotateKey({
    description: "The attempt that you looked at. If a later one exists, nothing happens."
  })
}).annotate({ identifier: "OtpNextRequest" })

/** Null: the request has no body. */
export const NextBody = [NextFields, Schema.Null] as const
export type NextBody = (typeof NextBody)[number]["Type"]

export const SendResponse = Schema.Struct({
  verification_id: Schema.String,
  status: Schema.Literals(["queued", "failed"]),
  current_attempt_channel: ChannelDescriptor,
  expires_in: Schema.Int
}).annotate({ identifier: "OtpSendResponse" })

export const VerifyResponse = Schema.Struct({
  verified: Schema.Boolean,
  reason: Schema.Literals([
    "ok",
    "invalid_code",
    "expired",
    "locked",
    "failed",
    "already_verified",
    "canceled"
  ])
}).annotate({ identifier: "OtpVerifyResponse" })

const SandboxStatusFields = {
  verification_id: Schema.String,
  status: VerificationStatus,
  phone: Schema.String,
  current_channel: ChannelDescriptor,
  expires_at: Schema.String,
  verified_at: Schema.NullOr(Schema.String)
}

export const SandboxStatusResponse = Schema.Struct(SandboxStatusFields).annotate({
  identifier: "SandboxOtpStatusResponse"
})

const AttemptStatus = Schema.Literals(["sent", "failed"])

export const StatusResponse = Schema.Struct({
  ...SandboxStatusFields,
  current_channel_status: Schema.NullOr(AttemptStatus),
  remaining_seconds: Schema.NullOr(Schema.Int),
  attempts: Schema.Array(
    Schema.Struct({
      sequence: Schema.Int,
      channel: ChannelDescriptor,
      status: AttemptStatus,
      dispatched_at: Schema.NullOr(Schema.String).annotateKey({
        description: "Null if the provider was not called, because no account could send in time."
      }),
      transition_reason: Schema.NullOr(Schema.Literals(["timed_out", "failed"])),
      error_code: Schema.NullOr(AttemptErrorCode),
      delivery: Schema.NullOr(Schema.Literals(["delivered", "undelivered"])).annotateKey({
        description: "The provider's delivery report; null without one."
      })
    })
  )
}).annotate({ identifier: "OtpStatusResponse" })

/** In a list, with the time that `created_after` compares. */
export const ListedVerification = Schema.Struct({
  ...StatusResponse.fields,
  created_at: Schema.String
}).annotate({ identifier: "ListedOtp" })

export const ListedSandboxVerification = Schema.Struct({
  ...SandboxStatusFields,
  created_at: Schema.String
}).annotate({ identifier: "ListedSandboxOtp" })

type ChannelsInput = typeof Channels.Type

const toStep = (element: string | typeof ChannelObject.Type): StepRequest =>
  typeof element === "string"
    ? { channel: element }
    : {
        channel: element.channel,
        account_id: element.account_id ?? undefined,
        sender: element.sender ?? undefined,
        provider: element.provider ?? undefined,
        wait: element.wait ?? undefined
      }

/** All forms of `channels` as steps; undefined if absent. */
export const toSteps = (
  channels: ChannelsInput | null | undefined
): ReadonlyArray<StepRequest> | undefined => {
  if (channels == null) return undefined
  return typeof channels === "string" ? [{ channel: channels }] : channels.map(toStep)
}

export const templateIdOf = (id: number | string | null | undefined): number | undefined =>
  id == null ? undefined : Number(id)

/** The customer's request, with its idempotency key. */
export const sendRequestOf = (
  { customerId, setUpVersion }: Principal,
  key: string | null,
  payload: typeof SendBody.Type
): SendRequest => {
  // In the contract's words: its fingerprint is stored, and other versions of Peyk must compute the same.
  const body = {
    phone: normalPhone(payload.phone),
    channels: toSteps(payload.channels),
    channel_timeout: payload.channel_timeout ?? undefined,
    template_id: templateIdOf(payload.template_id)
  }
  return {
    customerId,
    setUpVersion,
    phone: body.phone,
    channels: body.channels,
    channelTimeout: body.channel_timeout,
    templateId: body.template_id,
    idempotency: key === null ? undefined : { key, body }
  }
}

export const toSendResponse = (answer: SendAnswer): typeof SendResponse.Type => ({
  verification_id: answer.verificationId,
  status: answer.status,
  current_attempt_channel: answer.currentAttemptChannel,
  expires_in: answer.expiresIn
})

export const toSandboxStatus = (view: VerificationView): typeof SandboxStatusResponse.Type => ({
  verification_id: view.id,
  status: view.status,
  phone: view.phone,
  current_channel: view.currentChannel,
  expires_at: formatInstant(view.expiresAt),
  verified_at: view.verifiedAt === null ? null : formatInstant(view.verifiedAt)
})

export const toStatus = (view: VerificationView): typeof StatusResponse.Type => ({
  ...toSandboxStatus(view),
  current_channel_status: view.currentChannelStatus,
  remaining_seconds: view.remainingSeconds,
  attempts: view.attempts.map((attempt) => ({
    sequence: attempt.sequence,
    channel: attempt.channel,
    status: attempt.status,
    dispatched_at: attempt.dispatchedAt === null ? null : formatInstant(attempt.dispatchedAt),
    transition_reason: attempt.transitionReason,
    error_code: attempt.errorCode,
    delivery: attempt.delivery
  }))
})

export const toListed = (verification: Verification, now: Instant): typeof ListedVerification.Type => ({
  ...toStatus(viewVerification(verification, now)),
  created_at: formatInstant(verification.createdAt)
})

export const toListedSandbox = (
  verification: Verification,
  now: Instant
): typeof ListedSandboxVerification.Type => ({
  ...toSandboxStatus(viewVerification(verification, now)),
  created_at: formatInstant(verification.createdAt)
})
