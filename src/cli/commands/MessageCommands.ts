import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { oneOfCustomer, showCommand } from "../ActionCommand.ts"
import { about, operate, withManagement } from "../CommandContext.ts"
import { withUseCases } from "../UseCaseContext.ts"
import {
  customerFlag,
  requireCustomer,
  searchFlags,
  searchOf,
  uuidFlag,
  optionalChoice
} from "../input/Flags.ts"
import { LARGE_INPUT_BYTES, readInput } from "../input/InputFile.ts"
import { attemptRow } from "../output/AttemptRows.ts"
import { CommandError, refusalOf, refusedAction, refusedOf, SET_UP_CHANGES } from "../output/CommandError.ts"
import { asLines, asTable, print, printPage } from "../output/Output.ts"
import { type Message, MessageStatus, Strategy } from "../../domain/message/Message.ts"
import { pageJson } from "../../http/RequestGuards.ts"
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "../../domain/customer/IdempotencyKey.ts"
import { messageJson, toMessage } from "../../http/manage/ManagedMessagesApi.ts"
import { MessageBatchBody, type MessageBatchResponse } from "../../http/message/MessageSchemas.ts"
import { readBatch, toBatchResponse } from "../../http/message/MessageRequests.ts"
import { toWirePage } from "../../http/manage/ManageWire.ts"
import { cancelMessage, noteBatch } from "../../services/message/MessageActions.ts"
import { MessageRecords } from "../../services/message/MessageRecords.ts"
import { Messages } from "../../services/message/Messages.ts"

type Resource = ReturnType<typeof toMessage>

const toRow = (resource: Resource) => ({
  message_id: resource.message_id,
  status: resource.status,
  to: resource.to,
  strategy: resource.strategy,
  sent: resource.successful_attempts,
  failed: resource.failed_attempts,
  unknown: resource.unknown_attempts,
  created_at: resource.created_at,
  completed_at: resource.completed_at
})

const toAttemptRow = ({ attempted_at, finished_at, ...attempt }: Resource["attempts"][number]) =>
  attemptRow(attempt, { attempted_at, finished_at })

const describe = (message: Message): string => {
  const { scheduled_for, text, cost, attempts, ...resource } = toMessage(message)
  const row = toRow({ ...resource, scheduled_for, text, cost, attempts })
  const fields = asLines({ ...row, scheduled_for, cost, metadata: message.metadata, text })
  return attempts.length === 0 ? fields : `${fields}\n\n${asTable(attempts.map(toAttemptRow))}`
}

const list = Command.make(
  "list",
  {
    ...searchFlags,
    status: optionalChoice("status", MessageStatus.literals, "Only with this status"),
    strategy: optionalChoice("strategy", Strategy.literals, "Only with this strategy")
  },
  ({ customer, status, strategy, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const { id } = yield* requireCustomer(customer)
        const search = {
          ...(yield* searchOf("messages", given)),
          status: Option.getOrUndefined(status),
          strategy: Option.getOrUndefined(strategy)
        }
        const page = yield* about(id, (yield* MessageRecords).list(id, search))
        const response = toWirePage("messages", page, messageJson)
        const rows = page.items.map((message) => toRow(toMessage(message)))
        yield* printPage(pageJson(response), rows, response.next_cursor)
      })
    )
).pipe(Command.withDescription("Search a customer's messages, the newest first"))

const oneMessage = oneOfCustomer("message", uuidFlag("message", "The message's id"))

/** The message with its present state. */
const printMessage = (customer: number, id: string) =>
  Effect.flatMap(
    MessageRecords.use((messages) => messages.find(customer, id)),
    (found) => print(messageJson(found), describe(found))
  )

const show = showCommand(
  "Show a message with its text and attempts",
  oneMessage,
  ({ customer, target, refused }) => Effect.mapError(printMessage(customer, target), refused)
)

const IdempotencyKey = Schema.NonEmptyString.check(Schema.isMaxLength(MAX_IDEMPOTENCY_KEY_LENGTH))

const decodeBatchText = Schema.decodeUnknownResult(Schema.fromJsonString(MessageBatchBody))

const toBatchRow = (item: (typeof MessageBatchResponse.Type)["data"][number]) =>
  "error" in item
    ? { index: item.index, message_id: null, status: "refused", error: item.error.code }
    : { ...item, error: null }

export const describeBatchRefusal = refusalOf({
  idempotency_key_conflict: "this key was used with another batch",
  idempotency_key_in_progress: "the batch with this key is still being created; try again",
  service_unavailable: SET_UP_CHANGES
})

const cancel = Command.make("cancel", oneMessage.flags, ({ customer, id }) =>
  withUseCases(
    operate(cancelMessage, { customer, target: id }).pipe(
      Effect.andThen(about(customer, printMessage(customer, id))),
      Effect.mapError(refusedOf(customer, `message ${id}`))
    )
  )
).pipe(Command.withDescription("Cancel a message that was not sent yet"))

const batch = Command.make(
  "batch",
  {
    customer: customerFlag,
    file: Flag.String("file").pipe(
      Flag.withDescription("JSON as for POST /v1/messages/batch; - reads standard input")
    ),
    key: Flag.String("idempotency-key").pipe(
      Flag.withDescription("A new key for each batch; with the same key and file again, nothing is created"),
      Flag.withSchema(IdempotencyKey)
    )
  },
  ({ customer, file, key }) =>
    withUseCases(
      Effect.gen(function* () {
        const { id } = yield* requireCustomer(customer)
        const text = yield* readInput(file, LARGE_INPUT_BYTES)
        const body = yield* Effect.mapError(
          Effect.fromResult(decodeBatchText(text)),
          ({ message }) => new CommandError({ message: `nothing was sent: ${message}` })
        )
        const sent = (yield* Messages).sendBatch({ ...readBatch(body.messages, text, key), customerId: id })
        const { outcomes, replayed } = yield* Effect.mapError(about(id, sent), describeBatchRefusal)
        const { data } = toBatchResponse(outcomes)
        const created = data.filter((item) => "message_id" in item).length
        const counts = { created, refused: data.length - created }
        if (!replayed) {
          const noted = operate(noteBatch, { customer: id, target: id, input: counts })
          yield* Effect.mapError(noted, refusedAction(`customer ${id}`))
        }
        yield* print(JSON.stringify({ data }), asTable(data.map(toBatchRow)))
      })
    )
).pipe(Command.withDescription("Create up to 500 messages from a file"))

const messageCommand = Command.make("message").pipe(Command.withSubcommands([list, show, batch, cancel]))

export const commands = { message: messageCommand }
