import { Clock, Context, Data, Effect, Layer, Option } from "effect"
import { UUID } from "../../domain/Uuid.ts"
import { attemptToReport, settledDelivery } from "../../domain/ProviderOutcome.ts"
import { recordDelivery } from "../../domain/verification/Step.ts"
import { writeTransition } from "../Subjects.ts"
import { CustomerRows } from "../customer/CustomerRows.ts"
import { AccountConnections } from "../account/AccountSlots.ts"
import type { AttemptReport, HeaderReader } from "./ProviderAdapter.ts"
import { VerificationStore } from "../verification/VerificationStore.ts"

/** The account gets no reports, or this one is not from its provider. */
class UnknownReporter extends Data.TaggedError("UnknownReporter")<{}> {}

interface PostedToAccount<E, R> {
  readonly accountId: number
  readonly header: HeaderReader
  /** The body exactly as it came. It is read only if the account's provider posts reports. */
  readonly body: Effect.Effect<string, E, R>
}

/** `<id of the verification>-<step, from 1>`; see `Providers`. */
const ATTEMPT_ID = new RegExp(`^(${UUID})-([1-9]\\d?)$`)

/** Records the delivery of codes that providers report by themselves. */
export class PostedReports extends Context.Service<
  PostedReports,
  {
    readonly receive: <E, R>(posted: PostedToAccount<E, R>) => Effect.Effect<void, UnknownReporter | E, R>
  }
>()("peyk/services/provider/PostedReports") {
  static readonly layer = Layer.effect(
    PostedReports,
    Effect.gen(function* () {
      const connections = yield* AccountConnections
      const verifications = yield* VerificationStore
      const { within } = yield* CustomerRows

      const readerOf = (accountId: number) =>
        Effect.map(connections.of(accountId), ({ readReport }) => readReport).pipe(
          Effect.catchTag("AccountUnusable", () => Effect.undefined),
          Effect.flatMap((read) => (read === undefined ? new UnknownReporter() : Effect.succeed(read)))
        )

      /** Does nothing if the report is not final, or if the attempt is another account's or has a report already. */
      const record = Effect.fnUntraced(function* (
        accountId: number,
        { customerId, attemptId, report }: AttemptReport
      ) {
        const [, id = "", number] = ATTEMPT_ID.exec(attemptId) ?? []
        if (id === "") return
        const step = Number(number) - 1
        const reload = verifications.load(customerId, id)
        const found = Option.getOrUndefined(yield* reload)
        if (found === undefined || found.route[step]?.account_id !== accountId) return
        const delivery = settledDelivery(report, found)
        if (delivery === undefined || attemptToReport(found.attempts, step) === undefined) return
        yield* writeTransition(found, (current) => recordDelivery(current, step, delivery), {
          write: (before, transition, now) => verifications.commit(before, transition, now, null),
          reload
        })
      })

      return PostedReports.of({
        receive: Effect.fnUntraced(function* ({ accountId, header, body }) {
          const read = yield* readerOf(accountId)
          const report = read({ header, body: yield* body }, yield* Clock.currentTimeMillis)
          if (report === null) return yield* new UnknownReporter()
          yield* within(report.customerId, record(accountId, report))
        })
      })
    })
  )
}
