import type { Cause } from "effect"
import { SqlError } from "effect/sql"

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ConnectionError",
  "StatementTimeoutError",
  "LockTimeoutError"
])
const RACES: ReadonlySet<string> = new Set(["SerializationError", "DeadlockError"])

/**
 * SQLSTATEs of a PostgreSQL that responds but cannot work now: it lacks disk, memory or connections (53), it stops, has
 * crashed or starts (57P), it cannot read or write a file (58030), or it is a standby (25006).
 */
const NOT_NOW = /^(53...|57P..|58030|25006)$/

/**
 * SQLSTATEs of statements that stored nothing. After the others a statement may be stored: PostgreSQL lost the client
 * (08), ended the connection (57P), or does not know (40003).
 */
const STORED_NOTHING = /^(?!08|57P|40003)(?=.*\d)[\dA-Z]{5}$/

const sqlStateOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""

/** Whether PostgreSQL reported an SQLSTATE like this. */
export const hasSqlState = (error: SqlError.SqlError, pattern: RegExp): boolean =>
  pattern.test(sqlStateOf(error.reason.cause))

/** The driver's message does not contain what PostgreSQL or the network reported. */
export const withReason = (error: { readonly message: string }): string =>
  SqlError.isSqlError(error) ? `${error.message} (${String(error.reason.cause)})` : error.message

/** Whether PostgreSQL reported that it cannot work now. */
export const isNotNow = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && NOT_NOW.test(sqlStateOf(error.reason.cause))

/** What the driver and the network report of a PostgreSQL, or a pooler, that took the connection and did not respond. */
const NO_RESPONSE = /timed out|in time|fallen silent|ECONNRESET|EPIPE|ETIMEDOUT/

/**
 * Whether PostgreSQL is there and cannot work yet: it starts, has no connection left, or does not respond. A read-only
 * one, or none at all, may be the wrong one.
 */
export const isTemporary = (error: unknown): boolean => {
  if (!SqlError.isSqlError(error)) return false
  const { reason } = error
  if (reason._tag === "StatementTimeoutError" || reason._tag === "LockTimeoutError") return true
  if (/^(53[23]..|57P..)$/.test(sqlStateOf(reason.cause))) return true
  return reason._tag === "ConnectionError" && NO_RESPONSE.test(`${reason.message} ${String(reason.cause)}`)
}

/** The error of a statement, if it is that PostgreSQL cannot work now. */
export const notNowIn = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined =>
  cause.reasons.flatMap((reason) =>
    reason._tag === "Fail" && isNotNow(reason.error) ? [reason.error] : []
  )[0]

/** Whether a defect means that the store is unreachable, cannot work now, or took too long: only time helps. */
export const isStoreUnreachable = (defect: unknown): boolean =>
  SqlError.isSqlError(defect) && (UNREACHABLE.has(defect.reason._tag) || isNotNow(defect))

/** The store cannot serve now, or races were lost too often: not our bug. */
export const isStoreUnavailable = (defect: unknown): boolean =>
  isStoreUnreachable(defect) || (SqlError.isSqlError(defect) && RACES.has(defect.reason._tag))

/** Whether a statement with this error has certainly stored nothing: PostgreSQL refused it, or was not reached. */
export const hasStoredNothing = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason.operation === "connect" || STORED_NOTHING.test(sqlStateOf(error.reason.cause)))
