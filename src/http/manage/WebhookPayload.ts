import { formatInstant } from "../../domain/Instant.ts"
import { type ShownMessage, viewMessage } from "../../domain/message/Message.ts"
import type { Delivery } from "../../domain/ProviderOutcome.ts"
import { type ShownVerification, viewVerification } from "../../domain/verification/Verification.ts"
import type { WebhookEvent } from "../../domain/Webhook.ts"
import { withMetadata } from "../Metadata.ts"
import { toWireAlarm } from "./GuardApi.ts"
import { toMessageStatus } from "../message/MessageSchemas.ts"
import { toStatus } from "../verification/OtpWire.ts"

interface KeptAttempt {
  readonly step: number
  readonly provider_error: string | null
  readonly delivery?: Delivery
}

/** The fields of an attempt that an event has in addition to its status. */
const furtherOf = (attempts: ReadonlyArray<KeptAttempt>, sequence: number) => {
  const kept = attempts.find(({ step }) => step === sequence - 1)
  return {
    provider_error: kept?.provider_error ?? null,
    delivery: kept?.delivery?.status ?? null
  }
}

const withFurther = <Shown extends { readonly sequence: number }>(
  shown: ReadonlyArray<Shown>,
  kept: ReadonlyArray<KeptAttempt>
) => shown.map((attempt) => ({ ...attempt, ...furtherOf(kept, attempt.sequence) }))

const verificationData = (
  verification: ShownVerification,
  { occurredAt, sequence }: WebhookEvent
): string => {
  const view = viewVerification(verification, occurredAt)
  const status = toStatus(view)
  const data = { ...status, attempts: withFurther(status.attempts, verification.attempts), sequence }
  return withMetadata(data, view.metadata)
}

const messageData = (message: ShownMessage, { sequence }: WebhookEvent): string => {
  const status = toMessageStatus(viewMessage(message))
  const data = { ...status, attempts: withFurther(status.attempts, message.attempts), sequence }
  return withMetadata(data, message.metadata)
}

const dataOf = (event: WebhookEvent): string => {
  const { subject, sequence } = event
  switch (subject.kind) {
    case "verification":
      return verificationData(subject.verification, event)
    case "message":
      return messageData(subject.message, event)
    case "guard":
      return JSON.stringify({ ...toWireAlarm(subject.alarm), sequence })
    case "alert":
      return JSON.stringify({
        alert_id: subject.id,
        ...subject.alert,
        raised_at: formatInstant(event.occurredAt),
        sequence
      })
    case "endpoint":
      return JSON.stringify({ webhook_id: subject.id, sequence })
  }
}

/** The posted body of an event: `{type, mode, timestamp, data}`. It contains neither the code nor the text. */
export const webhookPayload = (event: WebhookEvent): string => {
  const head = JSON.stringify({
    type: event.type,
    mode: event.mode,
    timestamp: formatInstant(event.occurredAt)
  })
  return `${head.slice(0, -1)},"data":${dataOf(event)}}`
}
