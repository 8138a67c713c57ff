import { Effect, Result, Schema } from "effect"
import { ValidationError } from "../../domain/Errors.ts"
import { normalPhone } from "../../domain/Phone.ts"
import type { RefusedItem } from "../../domain/LoggedRequest.ts"
import type { Principal } from "../../domain/customer/Customer.ts"
import { type BatchOutcome, refusedOutcome } from "../../domain/message/MessageBatch.ts"
import type { HotWork, FastResponse, HotEndpoint, JsonBody } from "../HotPath.ts"
import { type Metadata, metadataIn, readExactly, readMetadata } from "../Metadata.ts"
import { keyInHeader } from "../RequestGuards.ts"
import type { CodedError } from "../errors/Envelope.ts"
import { type ErrorCode, errorTable, textOf } from "../errors/ErrorTable.ts"
import { fieldProblems } from "../errors/SchemaErrors.ts"
import {
  MessageBatchBody,
  type MessageBatchResponse,
  MessageBody,
  toMessageSendResponse,
  toMessageSteps
} from "./MessageSchemas.ts"
import { MessagesGroup } from "./MessagesApi.ts"
import type { Posted } from "../verification/OtpWire.ts"
import type { BatchRequest } from "../../services/message/MessageBatches.ts"
import type { MessageContent, TemplateUse } from "../../services/message/MessagePlans.ts"
import type { MessageRequest } from "../../services/message/MessageSends.ts"
import { Messages } from "../../services/message/Messages.ts"

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

const decode = Schema.decodeUnknownResult(MessageBody)

/** Checks requests for messages and turns them into work; leaves anything wrong or unusual to the router. */
export const hotMessages = Effect.map(Messages, (messages): ReadonlyArray<HotEndpoint> => {
  const send = (key: string | null, { body, text }: JsonBody): HotWork | undefined => {
    const payload = decode(body)
    if (Result.isFailure(payload)) return undefined
    const posted = { payload: payload.success, text }
    return {
      phone: payload.success.to,
      sent: payload.success,
      work: (principal) =>
        Effect.map(
          Effect.flatMap(Effect.fromResult(messageRequestOf(principal, key, posted)), messages.send),
          (sent): FastResponse => ({
            status: 201,
            body: toMessageSendResponse(sent),
            isReplayed: sent.replayed,
            subjectId: sent.messageId
          })
        )
    }
  }

  return [
    {
      endpoint: MessagesGroup.endpoints.send,
      read: ({ headers }) => {
        const key = keyInHeader(String(headers["idempotency-key"] ?? ""))
        return Result.isFailure(key) ? undefined : (body) => send(key.success, body)
      }
    }
  ]
})

const decodeBatch = Schema.decodeUnknownResult(MessageBatchBody)
const decodeMessage = Schema.decodeUnknownResult(MessageBody, { errors: "all" })

/** The messages of a body that was read without loss; none if that is impossible. */
const exactMessages = (text: string): ReadonlyArray<unknown> =>
  Result.getOrElse(
    Result.map(decodeBatch(readExactly(text)), ({ messages }) => messages),
    () => []
  )

/** One message, and what it is compared by if the request is repeated. */
const readMessage = (given: unknown, exact: unknown, index: number) => {
  const path = `body.messages[${index}]`
  const made = decodeMessage(given).pipe(
    Result.mapError(({ issue }) =>
      refusedOutcome(new ValidationError({ problems: fieldProblems(issue, path) }))
    ),
    Result.flatMap((payload) => {
      const { metadata: decoded } = payload
      const metadata =
        decoded == null
          ? Result.succeed(undefined)
          : Result.mapError(metadataIn(exact, decoded, `${path}.metadata`), refusedOutcome)
      return Result.map(metadata, (read) => messageOf(payload, read))
    })
  )
  return {
    item: Result.map(made, ({ content }) => content),
    body: Result.isSuccess(made) ? made.success.body : given
  }
}

/** A batch, given the JSON text of a `MessageBatchBody`. */
export const readBatch = (
  messages: ReadonlyArray<unknown>,
  text: string,
  key: string
): Pick<BatchRequest, "items" | "idempotency"> => {
  const exact = exactMessages(text)
  const read = messages.map((given, index) => readMessage(given, exact[index], index))
  return {
    items: read.map(({ item }) => item),
    idempotency: { key, body: { messages: read.map(({ body }) => body) } }
  }
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

const errorOf = ({ code, details }: Exclude<BatchOutcome, { readonly id: string }>) => ({
  code,
  message: isErrorCode(code) ? textOf(code, details) : code,
  details
})

/** The messages that were refused, for the log of requests. */
export const refusedIn = (
  outcomes: ReadonlyArray<BatchOutcome>,
  messages: ReadonlyArray<unknown>
): ReadonlyArray<{ readonly phone: string; readonly refusal: RefusedItem }> =>
  outcomes.flatMap((outcome, index) => {
    const phone: unknown = Object(messages[index]).to
    if ("id" in outcome || typeof phone !== "string") return []
    const status = isErrorCode(outcome.code) ? errorTable[outcome.code].status : 422
    return [{ phone, refusal: [outcome.code, status] }]
  })

export const toBatchResponse = (outcomes: ReadonlyArray<BatchOutcome>): typeof MessageBatchResponse.Type => ({
  data: outcomes.map((outcome, index) =>
    "id" in outcome
      ? { index, message_id: outcome.id, status: "queued" as const }
      : { index, error: errorOf(outcome) }
  )
})
