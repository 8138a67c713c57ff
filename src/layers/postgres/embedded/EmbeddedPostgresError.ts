import { Effect, Schema } from "effect"

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()(
  "EmbeddedPostgresError",
  { message: Schema.String }
) {}

const wayOut = "Set PEYK_DATA_DIR to another directory, or DATABASE_URL to a PostgreSQL of your own."

export const directoryError = (directory: string, problem: string) =>
  new EmbeddedPostgresError({ message: `${directory} ${problem}. ${wayOut}` })

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

const problems: Readonly<Record<string, string>> = {
  EACCES: "is not writable by this user",
  EPERM: "is not writable by this user",
  EROFS: "is on a read-only file system",
  ENOSPC: "cannot be written: the disk is full",
  EDQUOT: "cannot be written: the disk quota is used up",
  EEXIST: "has a file, not a directory, among its parents",
  ENOTDIR: "has a file, not a directory, among its parents",
  ENAMETOOLONG: "has too long a name",
  ELOOP: "is a symbolic link that leads nowhere",
  EBUSY: "is a mount point and cannot be replaced; mount its parent instead",
  EXDEV: "is a mount point and cannot be replaced; mount its parent instead"
}

const explain = (directory: string, error: unknown) => {
  if (error instanceof EmbeddedPostgresError) return error
  const detail = error instanceof Error ? error.message : String(error)
  const problem = problems[errorCode(error) ?? ""]
  return directoryError(
    directory,
    problem === undefined ? `cannot be used: ${detail}` : `${problem} (${detail})`
  )
}

/** Runs file work for the database in `directory`; every exception becomes an error that names the directory. */
export const withFiles = <A>(directory: string, work: () => A) =>
  Effect.try({ try: work, catch: (error) => explain(directory, error) })

export const withFilesAsync = <A>(directory: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => explain(directory, error) })
