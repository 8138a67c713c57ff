import { Result } from "effect"
import type { Principal } from "../../domain/customer/Customer.ts"
import { normalPhone } from "../../domain/Phone.ts"
import type { MessageContent, TemplateUse } from "../../services/message/MessagePlans.ts"
import type { MessageRequest } from "../../services/message/MessageSends.ts"
import type { CodedError } from "../errors/Envelope.ts"
import { type Metadata, readMetadata } from "../Metadata.ts"
import type { Posted } from "../verification/SendRequests.ts"
import { type MessageBody, toMessageSteps } from "./MessageSchemas.ts"

const templateOf = ({ template }: typeof MessageBody.Type): TemplateUse | undefined => {
  if (template == null) return undefined
  const given = template.parameters ?? {}
  const parameters = new Map(Object.entries(given).map(([name, value]) => [name, String(value)]))
  return { id: template.id, parameters, given }
}

/** One message of a request, and the body by which requests are compared. */
export const messageOf = (payload: typeof MessageBody.Type, metadata: Metadata | undefined) => {
  const template = templateOf(payload)
  const channels = toMessageSteps(payload.channels)
  const { message, strategy, send_at, delay } = payload
  const to = normalPhone(payload.to)
  // In the contract's words: its fingerprint is stored, and other versions of Peyk must compute the same.
  const body = {
    to,
    message: message ?? undefined,
    template: template && { id: template.id, parameters: template.given },
    channels,
    strategy: strategy ?? undefined,
    metadata: metadata?.value,
    send_at: send_at ?? undefined,
    delay: delay ?? undefined
  }
  const content: MessageContent = {
    to,
    message: body.message,
    template,
    channels,
    strategy: body.strategy,
    metadata: metadata?.text,
    sendAt: body.send_at,
    delay: body.delay
  }
  return { content, body }
}

/** The customer's request, with its idempotency key. */
export const messageRequestOf = (
  { customerId, setUpVersion }: Principal,
  key: string | null,
  { payload, text }: Posted<typeof MessageBody.Type>
): Result.Result<MessageRequest, CodedError> =>
  Result.map(readMetadata(text, payload.metadata), (metadata) => {
    const { content, body } = messageOf(payload, metadata)
    return {
      ...content,
      customerId,
      setUpVersion,
      idempotency: key === null ? undefined : { key, body }
    }
  })
