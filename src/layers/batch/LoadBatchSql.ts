import { Effect, type Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { KeyMode } from "../../domain/Customer.ts"
import type { Verification } from "../../domain/Verification.ts"
import type { LeasedTimer, TimerKind } from "../../services/Timers.ts"
import type { StoredVerification } from "../../services/VerificationStore.ts"
import { decodedAs } from "../SqlRows.ts"
import { verificationColumns, VerificationRow } from "../VerificationRow.ts"
import { inOrder } from "./BatchAnswers.ts"
import { type BatchColumn, batchSource, isVerification, withConstants } from "./BatchColumns.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

interface Subject {
  readonly customerId: number
  readonly id: string
}

const columns: ReadonlyArray<BatchColumn<Subject>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ id }) => id }
]
const source = batchSource(columns)

const LoadedRow = Schema.Struct({ ...VerificationRow.fields, nth: Schema.Int })

/** Reads the verifications that many requests ask for in one statement. */
export const makeLoadBatch = (clients: BatchClients, mode: KeyMode) => {
  const statement = `
    select r.nth::int, ${verificationColumns} from ${source.rows}
    join verifications v on ${isVerification(mode)}`
  const decoded = decodedAs(Schema.Array(LoadedRow))
  return makeStatementBatch<SqlClient.SqlClient, Subject, Option.Option<Verification>>(clients, {
    name: "read",
    conflictsOf: () => [],
    orderOf: ({ id }) => id,
    run: (sql, subjects) =>
      decoded(sql.unsafe(statement, source.parameters(subjects))).pipe(
        Effect.map((rows) =>
          inOrder(
            subjects.length,
            rows.map(({ nth, ...verification }) => [nth, verification] as const)
          )
        )
      )
  })
}

const leasedSource = batchSource<LeasedTimer>([
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ subject }) => subject },
  { name: "lease_token", type: "uuid", of: ({ leaseToken }) => leaseToken }
])

const LeasedRow = Schema.Struct({ ...LoadedRow.fields, sealedCode: Schema.NullOr(Schema.Uint8Array) })

/** Reads the verifications of many timers, of those that are still leased, in one statement. */
export const makeLoadLeasedBatch = (clients: BatchClients, mode: KeyMode, timerKind: TimerKind) => {
  const statement = `
    with ${withConstants(leasedSource.rows, { timer_kind: `'${timerKind}'`, lane: "0::smallint" })}
    select r.nth::int, ${verificationColumns}, v.sealed_code as "sealedCode" from r
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
            rows.map(({ nth, sealedCode, ...verification }) => [nth, { sealedCode, verification }] as const)
          )
        )
      )
  })
}
