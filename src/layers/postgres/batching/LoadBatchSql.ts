import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { KeyMode } from "../../../domain/people/Customer.ts"
import type { Verification } from "../../../domain/verification/Verification.ts"
import type { LeasedTimer, TimerKind } from "../../../domain/Timer.ts"
import type { KnownSetUp, StoredVerification } from "../../../services/verification/VerificationStore.ts"
import { currentSetUp, setUpColumns, SetUpFields, type SetUpVersions } from "../cache/SetUpVersions.ts"
import { decodedAs } from "../SqlRows.ts"
import { verificationColumns, VerificationRow } from "../../verification/VerificationRow.ts"
import { inOrder } from "./BatchAnswers.ts"
import { type BatchColumn, batchSource, isVerification, withConstants } from "./BatchColumns.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

interface Subject {
  readonly customerId: number
  readonly id: string
  readonly setUpVersion: KnownSetUp
}

interface Loaded {
  /** Whether the set-up is still the one that the request was checked with. */
  readonly isCurrent: boolean
  readonly found: Option.Option<Verification>
}

const CHANGED: Loaded = { isCurrent: false, found: Option.none() }
const MISSING: Loaded = { isCurrent: true, found: Option.none() }

const columns: ReadonlyArray<BatchColumn<Subject>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ id }) => id },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]
const source = batchSource(columns)

const LoadedRow = Schema.Struct({ ...VerificationRow.fields, nth: Schema.Int })
/** `isCurrent` decides which of the two a row is, so each row is decoded once. */
const AnswerRow = Schema.Union([
  Schema.Struct({ ...LoadedRow.fields, isCurrent: Schema.Literal(true) }),
  Schema.Struct({ nth: Schema.Int, isCurrent: Schema.Literal(false) })
])

const loadedOf = (row: typeof AnswerRow.Type): Loaded => {
  if (!row.isCurrent) return CHANGED
  const { nth: _, isCurrent, ...verification } = row
  return { isCurrent, found: Option.some(verification) }
}

/** Reads the verifications of many requests in one statement. */
export const makeLoadBatch = (clients: BatchClients, mode: KeyMode) => {
  const statement = `
    select r.nth::int, ${currentSetUp.condition} as "isCurrent", ${verificationColumns} from ${source.rows}
    ${currentSetUp.join} left join verifications v on ${isVerification(mode)}
    where v.id is not null or not ${currentSetUp.condition}`
  const decoded = decodedAs(Schema.Array(AnswerRow))
  return makeStatementBatch<SqlClient.SqlClient, Subject, Loaded>(clients, {
    name: "read",
    conflictsOf: () => [],
    orderOf: ({ id }) => id,
    run: (sql, subjects) =>
      Effect.map(decoded(sql.unsafe(statement, source.parameters(subjects))), (rows) => {
        const answers = Array.from({ length: subjects.length }, () => MISSING)
        for (const row of rows) answers[row.nth - 1] = loadedOf(row)
        return answers
      })
  })
}

const leasedSource = batchSource<LeasedTimer>([
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ subject }) => subject },
  { name: "lease_token", type: "uuid", of: ({ leaseToken }) => leaseToken }
])

const LeasedRow = Schema.Struct({
  ...LoadedRow.fields,
  ...SetUpFields,
  sealedCode: Schema.NullOr(Schema.Uint8Array)
})

/**
 * Reads the verifications of many timers that are still leased, in one statement, with the versions of their customers'
 * set-ups, so that the next work uses no older one.
 */
export const makeLoadLeasedBatch = (
  clients: BatchClients,
  mode: KeyMode,
  timerKind: TimerKind,
  versions: SetUpVersions["Service"]
) => {
  const statement = `
    with ${withConstants(leasedSource.rows, { timer_kind: `'${timerKind}'`, lane: "0::smallint" })}
    select r.nth::int, ${verificationColumns}, v.sealed_code as "sealedCode",
      ${setUpColumns("v.customer_id")} from r
    join timers t on t.customer_id = r.customer_id and t.kind = r.timer_kind and t.subject = r.id
      and t.lane = r.lane and t.lease_token = r.lease_token
    join verifications v on ${isVerification(mode)}`
  const decoded = decodedAs(Schema.Array(LeasedRow))
  return makeStatementBatch<SqlClient.SqlClient, LeasedTimer, Option.Option<StoredVerification>>(clients, {
    name: "read_due",
    conflictsOf: () => [],
    orderOf: ({ subject }) => subject,
    run: (sql, timers) =>
      decoded(sql.unsafe(statement, leasedSource.parameters(timers))).pipe(
        Effect.map((rows) =>
          inOrder(
            timers.length,
            rows.map(({ nth, sealedCode, setUpVersion, platformVersion, ...verification }) => {
              versions.note(verification.customerId, { setUpVersion, platformVersion })
              return [nth, { sealedCode, verification }] as const
            })
          )
        )
      )
  })
}
