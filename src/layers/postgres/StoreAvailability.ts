import { SqlError } from "effect/sql"

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ConnectionError",
  "StatementTimeoutError",
  "LockTimeoutError"
])
const RACES: ReadonlySet<string> = new Set(["SerializationError", "DeadlockError"])

/**
 * SQLSTATEs of a PostgreSQL that answers, but cannot work now: it lacks disk, memory or connections (53), stops, has crashed or
 * starts (57P), cannot read or write a file (58030), or is a standby, while another takes its place (25006).
 */
const NOT_NOW = /^(53...|57P..|58030|25006)$/

const sqlStateOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""

/** Whether PostgreSQL answered that it cannot work now. */
export const isNotNow = (error: unknown): boolean =>
  SqlError.isSqlError(error) && NOT_NOW.test(sqlStateOf(error.reason.cause))

/** Whether a defect says that the store cannot be reached, cannot work now, or took too long: nothing will help but time. */
export const isStoreUnreachable = (defect: unknown): boolean =>
  SqlError.isSqlError(defect) && (UNREACHABLE.has(defect.reason._tag) || isNotNow(defect))

/** The same, or that races were lost too often: that the store cannot serve now, and nothing is wrong with us. */
export const isStoreUnavailable = (defect: unknown): boolean =>
  isStoreUnreachable(defect) || (SqlError.isSqlError(defect) && RACES.has(defect.reason._tag))
