import { formatInstant, formatNullableInstant, type Instant } from "../../domain/Instant.ts"
import {
  type Verification,
  type VerificationView,
  viewVerification
} from "../../domain/verification/Verification.ts"
import type { SendAnswer } from "../../services/verification/sending/SendRequest.ts"
import { withMetadata } from "../Metadata.ts"
import type { SandboxStatusResponse, SendResponse, StatusResponse } from "./OtpSchemas.ts"

export const toSendResponse = (answer: SendAnswer): typeof SendResponse.Type => ({
  verification_id: answer.verificationId,
  status: answer.status,
  current_attempt_channel: answer.currentAttemptChannel,
  expires_in: answer.expiresIn
})

/** The whole status in the sandbox except the metadata, which is JSON text already. */
const toSandboxStatus = (view: VerificationView): Omit<typeof SandboxStatusResponse.Type, "metadata"> => ({
  verification_id: view.id,
  status: view.status,
  phone: view.phone,
  current_channel: view.currentChannel,
  expires_at: formatInstant(view.expiresAt),
  verified_at: formatNullableInstant(view.verifiedAt)
})

/** The same for a live verification. */
export const toStatus = (view: VerificationView): Omit<typeof StatusResponse.Type, "metadata"> => ({
  ...toSandboxStatus(view),
  current_channel_status: view.currentChannelStatus,
  remaining_seconds: view.remainingSeconds,
  attempts: view.attempts.map((attempt) => ({
    sequence: attempt.sequence,
    channel: attempt.channel,
    status: attempt.status,
    dispatched_at: formatNullableInstant(attempt.dispatchedAt),
    transition_reason: attempt.transitionReason,
    error_code: attempt.errorCode,
    ...(attempt.skipReason !== null && { skip_reason: attempt.skipReason }),
    delivery: attempt.delivery
  }))
})

/** The status as JSON, with the metadata exactly as the request had it. */
export const statusJson = (view: VerificationView): string => withMetadata(toStatus(view), view.metadata)

export const sandboxStatusJson = (view: VerificationView): string =>
  withMetadata(toSandboxStatus(view), view.metadata)

const listedWith =
  (toWire: (view: VerificationView) => object) =>
  (verification: Verification, now: Instant): string => {
    const view = viewVerification(verification, now)
    return withMetadata({ ...toWire(view), created_at: formatInstant(verification.createdAt) }, view.metadata)
  }

/** An entry of a list. */
export const listedJson = listedWith(toStatus)
export const sandboxListedJson = listedWith(toSandboxStatus)
