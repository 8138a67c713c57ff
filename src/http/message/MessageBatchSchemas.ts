import { Result, Schema } from "effect"
import { type BatchOutcome, refusedOutcome } from "../../domain/message/Message.ts"
import type { BatchRequest } from "../../services/message/MessageBatches.ts"
import { type ErrorCode, errorTable, textOf } from "../errors/ErrorTable.ts"
import { metadataIn, readExactly } from "../Metadata.ts"
import { fieldProblems } from "../errors/SchemaErrors.ts"
import { messageOf } from "./MessageRequests.ts"
import { MessageBody } from "./MessageSchemas.ts"
import { ValidationError } from "../../domain/Errors.ts"
import { isMaxEntries } from "../../domain/SchemaProblems.ts"

/** More would hold the locks of one customer's counters and wallet for too long. */
const MAX_MESSAGES = 500

/** Each message is checked by itself: one of the wrong shape does not refuse the others. */
export const MessageBatchBody = Schema.Struct({
  messages: Schema.Array(Schema.Unknown)
    .check(Schema.isMinLength(1), isMaxEntries(MAX_MESSAGES))
    .annotate({ description: "1 to 500 bodies of POST /v1/messages/send." })
}).annotate({ identifier: "MessageBatchRequest" })

const Index = Schema.Int.annotateKey({ description: "The message's place in the request, from 0 on." })

export const MessageBatchResponse = Schema.Struct({
  data: Schema.Array(
    Schema.Union([
      Schema.Struct({ index: Index, message_id: Schema.String, status: Schema.Literal("queued") }),
      Schema.Struct({
        index: Index,
        error: Schema.Struct({
          code: Schema.String,
          message: Schema.String,
          details: Schema.Record(Schema.String, Schema.Unknown)
        })
      })
    ])
  )
}).annotate({ identifier: "MessageBatchResponse" })

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

export const toBatchResponse = (outcomes: ReadonlyArray<BatchOutcome>): typeof MessageBatchResponse.Type => ({
  data: outcomes.map((outcome, index) =>
    "id" in outcome
      ? { index, message_id: outcome.id, status: "queued" as const }
      : { index, error: errorOf(outcome) }
  )
})
