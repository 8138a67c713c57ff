import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { KeyMode } from "../../domain/Customer.ts"
import type { Verification } from "../../domain/Verification.ts"
import { verificationColumns, VerificationRow } from "../VerificationRow.ts"
import { type BatchColumn, batchSource, isVerification } from "./BatchColumns.ts"
import { makeStatementBatch } from "./StatementBatch.ts"

interface Subject {
  readonly customerId: number
  readonly id: string
}

const LoadedRow = Schema.Struct({ ...VerificationRow.fields, nth: Schema.Int })

const columns: ReadonlyArray<BatchColumn<Subject>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ id }) => id }
]
const source = batchSource(columns)

/** Reads the verifications that many requests ask for in one statement. */
export const makeLoadBatch = (sql: SqlClient.SqlClient, mode: KeyMode) => {
  const statement = `
    select r.nth::int, ${verificationColumns} from ${source.rows}
    join verifications v on ${isVerification(mode)}`
  const decode = Schema.decodeUnknownEffect(Schema.Array(LoadedRow))
  return makeStatementBatch<Subject, Option.Option<Verification>>({
    conflictsOf: () => [],
    orderOf: ({ id }) => id,
    run: (subjects) =>
      sql.unsafe(statement, source.parameters(subjects)).pipe(
        Effect.flatMap((rows) => Effect.orDie(decode(rows))),
        Effect.map((rows) => {
          const found: Array<Option.Option<Verification>> = subjects.map(() => Option.none())
          for (const { nth, ...verification } of rows) found[nth - 1] = Option.some(verification)
          return found
        })
      )
  })
}
