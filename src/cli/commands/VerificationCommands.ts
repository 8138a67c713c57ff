import { Clock, Effect, Option } from "effect"
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
  optionalChoice,
  optionalText
} from "../input/Flags.ts"
import { attemptRow, channelName } from "../output/AttemptRows.ts"
import { refusedOf } from "../output/CommandError.ts"
import { asLines, asTable, print, printPage } from "../output/Output.ts"
import type { Instant } from "../../domain/Instant.ts"
import { type Verification, VerificationStatus } from "../../domain/verification/Verification.ts"
import { pageJson } from "../../http/RequestGuards.ts"
import { toVerification, verificationJson } from "../../http/manage/VerificationsApi.ts"
import { toWirePage } from "../../http/manage/ManageWire.ts"
import { cancelVerification, tryNextChannel } from "../../services/verification/VerificationActions.ts"
import { VerificationRecords } from "../../services/verification/VerificationRecords.ts"

type Resource = ReturnType<typeof toVerification>

const toRow = (resource: Resource) => ({
  verification_id: resource.verification_id,
  status: resource.status,
  phone: resource.phone,
  channel: channelName(resource.current_channel),
  attempts: resource.attempts.length,
  created_at: resource.created_at,
  verified_at: resource.verified_at
})

const toAttemptRow = ({ dispatched_at, transition_reason, ...attempt }: Resource["attempts"][number]) => ({
  ...attemptRow(attempt, { dispatched_at }),
  transition_reason
})

const describe = (verification: Verification, now: Instant): string => {
  const resource = toVerification(verification, now)
  const { expires_at, cost, remaining_seconds } = resource
  const { metadata } = verification
  const fields = asLines({ ...toRow(resource), expires_at, remaining_seconds, cost, metadata })
  return resource.attempts.length === 0
    ? fields
    : `${fields}\n\n${asTable(resource.attempts.map(toAttemptRow))}`
}

const list = Command.make(
  "list",
  {
    ...searchFlags,
    status: optionalChoice("status", VerificationStatus.literals, "Only with this status, as in responses")
  },
  ({ customer, status, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const { id } = yield* requireCustomer(customer)
        const search = { ...(yield* searchOf("verifications", given)), status: Option.getOrUndefined(status) }
        const page = yield* about(id, (yield* VerificationRecords).list(id, search))
        const now = yield* Clock.currentTimeMillis
        const response = toWirePage("verifications", page, (found) => verificationJson(found, now))
        const rows = page.items.map((found) => toRow(toVerification(found, now)))
        yield* printPage(pageJson(response), rows, response.next_cursor)
      })
    )
).pipe(Command.withDescription("Search a customer's live verifications, the newest first"))

const verificationFlag = uuidFlag("verification", "The verification's id")

const oneVerification = oneOfCustomer("verification", verificationFlag)

/** The verification with its present state. */
const printVerification = Effect.fnUntraced(function* (customer: number, id: string) {
  const found = yield* (yield* VerificationRecords).find(customer, id)
  const now = yield* Clock.currentTimeMillis
  yield* print(verificationJson(found, now), describe(found, now))
})

const show = showCommand(
  "Show a verification with its attempts; never its code",
  oneVerification,
  ({ customer, target, refused }) => Effect.mapError(printVerification(customer, target), refused)
)

const cancel = Command.make(
  "cancel",
  { customer: customerFlag, verification: verificationFlag },
  ({ customer, verification: id }) =>
    withUseCases(
      operate(cancelVerification, { customer, target: id }).pipe(
        Effect.andThen(about(customer, printVerification(customer, id))),
        Effect.mapError(refusedOf(customer, `verification ${id}`))
      )
    )
).pipe(Command.withDescription("Cancel a verification: no further channel is tried"))

const next = Command.make(
  "next",
  {
    customer: customerFlag,
    verification: verificationFlag,
    fromSequence: Flag.Int("from-sequence").pipe(
      Flag.withDescription("The last attempt that you saw; if a later one exists, nothing happens"),
      Flag.optional
    ),
    channel: optionalText(
      "channel",
      "The channel to try: one that is left, or one that is only tried on request"
    )
  },
  ({ customer, verification: id, fromSequence, channel }) =>
    withUseCases(
      operate(tryNextChannel, {
        customer,
        target: id,
        input: { from_sequence: Option.getOrNull(fromSequence), channel: Option.getOrNull(channel) }
      }).pipe(
        Effect.andThen(about(customer, printVerification(customer, id))),
        Effect.mapError(refusedOf(customer, `verification ${id}`))
      )
    )
).pipe(Command.withDescription("Try the next channel of a verification now"))

const verificationCommand = Command.make("verification").pipe(
  Command.withSubcommands([list, show, next, cancel])
)

export const commands = { verification: verificationCommand }
