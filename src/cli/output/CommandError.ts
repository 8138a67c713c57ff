import { Data } from "effect"
import type { ChannelUnavailable, Conflict, ValidationError } from "../../domain/Errors.ts"

/** The command cannot be carried out; `message` says why, for a person. */
export class CommandError extends Data.TaggedError("CommandError")<{ readonly message: string }> {}

const reasonOf = (error: ValidationError | ChannelUnavailable | Conflict): string =>
  error._tag === "validation_error"
    ? error.details.errors.map(({ message }) => message).join("; ")
    : (error.details.reason ?? error._tag)

/** The error with its reason, for a person. */
export const describeError = (error: ValidationError | ChannelUnavailable | Conflict) =>
  new CommandError({ message: reasonOf(error) })
