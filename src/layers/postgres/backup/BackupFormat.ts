import { Schema } from "effect"

/** The version of the format after the header. */
export const BACKUP_FORMAT = "peyk-backup-3"

/** Of development versions, whose migrations had the same numbers. */
export const UnreleasedHeader = Schema.Struct({ format: Schema.Literals(["peyk-backup-1", "peyk-backup-2"]) })

export const BackupHeader = Schema.Struct({
  format: Schema.Literal(BACKUP_FORMAT),
  /** The newest migration of the store. */
  migration: Schema.Int,
  made_at: Schema.String,
  /** Whether no server ran meanwhile, so that nothing is missing: see `writeStore`. */
  final: Schema.Boolean,
  /** Identifies the store's master secret, and reveals nothing else about it; null: none yet. */
  secret_check: Schema.NullOr(Schema.String),
  /** The number of rows of each table (`nameOf`): a reader stops at the first one too many. */
  rows: Schema.Record(Schema.String, Schema.Int)
})
export type BackupHeader = typeof BackupHeader.Type

/** Precedes the rows of a table. Each row is an array of the columns' texts (null is null). */
export const TableLine = Schema.Struct({
  /** The cell's schema; absent: the store's own. Cells come after all tables of the store. */
  cell: Schema.optionalKey(Schema.String),
  table: Schema.String,
  columns: Schema.Array(Schema.String)
})
export type TableLine = typeof TableLine.Type

/** Names a table of the store, or of a cell, in the counts of rows. */
export const nameOf = ({ cell, table }: Pick<TableLine, "cell" | "table">): string =>
  cell === undefined ? table : `${cell}.${table}`

/** Follows the last table: a file without one is incomplete. */
export const BackupTrailer = Schema.Struct({
  sequences: Schema.Record(Schema.String, Schema.String),
  rows: Schema.Record(Schema.String, Schema.Int)
})
export type BackupTrailer = typeof BackupTrailer.Type
