import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { NoNextChannel, NotFound, VerificationEnded } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { type Verification, VerificationStatus } from "../../domain/verification/Verification.ts"
import { pageJson } from "../../http/RawJson.ts"
import { toWirePage } from "../../http/manage/wire/ManageWire.ts"
import { toVerification, verificationJson } from "../../http/manage/activity/VerificationsApi.ts"
import { VerificationRecords } from "../../services/resources/activity/VerificationRecords.ts"
import type { SetUpChanged } from "../../services/customer/SetUpChanged.ts"
import { CommandError, refusalOf, SET_UP_CHANGES } from "../output/CommandError.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { Verifications } from "../../services/verification/Verifications.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { withUseCases } from "../UseCaseContext.ts"
import { attemptRow, channelName } from "./AttemptRows.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { asLines, asTable, print } from "../output/Output.ts"
import { printPage } from "../output/Pages.ts"
import { searchFlags, searchOf } from "../input/SearchFlags.ts"
import { uuidFlag } from "../input/UuidFlag.ts"

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
    status: Flag.Literals("status", VerificationStatus.literals).pipe(
      Flag.withDescription("Only with this status, as in responses"),
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

const entry = auditEntriesOf("verification")

const verificationFlag = uuidFlag("verification", "The verification's id")

const describeRefusal = (customer: number, id: string) =>
  refusalOf({
    not_found: `customer ${customer} has no verification ${id}`,
    no_next_channel: "no channel is left to try",
    verification_ended: "the verification has ended",
    SetUpChanged: SET_UP_CHANGES
  })

/** Does something to a verification, and shows what it has become. */
const acting = <E extends NotFound | NoNextChannel | VerificationEnded | SetUpChanged>(
  verb: "cancel" | "next",
  { customer, id }: { readonly customer: number; readonly id: string },
  act: (verifications: Verifications["Service"]) => Effect.Effect<unknown, E>
) =>
  withUseCases(
    Effect.gen(function* () {
      yield* act(yield* Verifications)
      yield* audited(customer, Effect.void, () => entry(verb, id))
      const found = yield* (yield* VerificationRecords).find(customer, id)
      const now = yield* Clock.currentTimeMillis
      yield* print(verificationJson(found, now), describe(found, now))
    }).pipe(Effect.mapError(describeRefusal(customer, id)))
  )

const cancel = Command.make(
  "cancel",
  { customer: customerFlag, verification: verificationFlag },
  ({ customer, verification: id }) =>
    acting("cancel", { customer, id }, ({ cancel: end }) => end({ customerId: customer, id }))
).pipe(Command.withDescription("Cancel a verification: no further channel is tried"))

const next = Command.make(
  "next",
  {
    customer: customerFlag,
    verification: verificationFlag,
    fromSequence: Flag.Int("from-sequence").pipe(
      Flag.withDescription("The last attempt that you saw; if a later one exists, nothing happens"),
      Flag.optional
    )
  },
  ({ customer, verification: id, fromSequence }) =>
    acting("next", { customer, id }, (verifications) =>
      verifications.next({ customerId: customer, id, fromSequence: Option.getOrUndefined(fromSequence) })
    )
).pipe(Command.withDescription("Try the next channel of a verification now"))

export const verificationCommand = Command.make("verification").pipe(
  Command.withSubcommands([list, show, next, cancel])
)
