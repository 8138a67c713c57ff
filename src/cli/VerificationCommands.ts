import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Instant } from "../domain/Instant.ts"
import { type Verification, VerificationStatus } from "../domain/verification/Verification.ts"
import { pageJson } from "../http/RawJson.ts"
import { toWirePage } from "../http/manage/wire/ManageWire.ts"
import { toVerification, verificationJson } from "../http/manage/VerificationsApi.ts"
import { VerificationRecords } from "../services/resources/VerificationRecords.ts"
import { CommandError } from "./output/CommandError.ts"
import { withManagement } from "./CommandContext.ts"
import { customerFlag, requireCustomer } from "./input/CustomerFlag.ts"
import { asLines, asTable, print } from "./output/Output.ts"
import { printPage } from "./output/Pages.ts"
import { searchFlags, searchOf } from "./input/SearchFlags.ts"
import { uuidFlag } from "./input/UuidFlag.ts"

type Resource = ReturnType<typeof toVerification>

const toRow = (resource: Resource) => ({
  verification_id: resource.verification_id,
  status: resource.status,
  phone: resource.phone,
  channel: resource.current_channel.provider,
  attempts: resource.attempts.length,
  created_at: resource.created_at,
  verified_at: resource.verified_at
})

const toAttemptRow = ({ channel, delivery, ...attempt }: Resource["attempts"][number]) => ({
  sequence: attempt.sequence,
  channel: channel.provider,
  account: channel.label,
  status: attempt.status,
  dispatched_at: attempt.dispatched_at,
  error_code: attempt.error_code,
  provider_error: attempt.provider_error,
  delivery: delivery?.status ?? null,
  transition_reason: attempt.transition_reason
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
    status: Flag.Literals("status", VerificationStatus.literals).pipe(
      Flag.withDescription("Only in this state, as a reader sees it"),
      Flag.optional
    )
  },
  ({ customer, status, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const { id } = yield* requireCustomer(customer)
        const search = { ...(yield* searchOf("verifications", given)), status: Option.getOrUndefined(status) }
        const page = yield* (yield* VerificationRecords).list(id, search)
        const now = yield* Clock.currentTimeMillis
        const answer = toWirePage("verifications", page, (found) => verificationJson(found, now))
        const rows = page.items.map((found) => toRow(toVerification(found, now)))
        yield* printPage(pageJson(answer), rows, answer.next_cursor)
      })
    )
).pipe(Command.withDescription("Search a customer's live verifications, the newest first"))

const show = Command.make(
  "show",
  { customer: customerFlag, verification: uuidFlag("verification", "The verification's id") },
  ({ customer, verification }) =>
    withManagement(
      Effect.gen(function* () {
        const found = yield* Effect.mapError(
          (yield* VerificationRecords).find(customer, verification),
          () => new CommandError({ message: `customer ${customer} has no verification ${verification}` })
        )
        const now = yield* Clock.currentTimeMillis
        yield* print(verificationJson(found, now), describe(found, now))
      })
    )
).pipe(Command.withDescription("Show a verification with its attempts; never its code"))

export const verificationCommand = Command.make("verification").pipe(
  Command.withDescription("Codes that were sent, and what came of them"),
  Command.withSubcommands([list, show])
)
