import { Data } from "effect"

/** The process cannot start. `message` explains to the operator why, and what to do. */
export class StartupError extends Data.TaggedError("StartupError")<{
  readonly message: string
  /** PostgreSQL was reached, and only time helps: a server waits. */
  readonly isTemporary?: boolean
}> {}
