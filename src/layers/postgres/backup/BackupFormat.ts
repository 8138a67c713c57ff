import { Schema } from "effect"

/** Of what follows the header. Another number is another format. */
export const BACKUP_FORMAT = "peyk-backup-1"

export const BackupHeader = Schema.Struct({
  format: Schema.Literal(BACKUP_FORMAT),
  /** The newest migration that the store had had. */
  migration: Schema.Int,
  made_at: Schema.String,
  /** Says which master secret the store was made with, and nothing else about it; null: with none yet. */
  secret_check: Schema.NullOr(Schema.String)
})
export type BackupHeader = typeof BackupHeader.Type

/** Before the rows of a table, each of which is an array of the columns' texts (null is null). */
export const TableLine = Schema.Struct({ table: Schema.String, columns: Schema.Array(Schema.String) })
export type TableLine = typeof TableLine.Type

/** The last line: a file without one is not whole. */
export const BackupTrailer = Schema.Struct({
  sequences: Schema.Record(Schema.String, Schema.String),
  rows: Schema.Record(Schema.String, Schema.Int)
})
export type BackupTrailer = typeof BackupTrailer.Type
