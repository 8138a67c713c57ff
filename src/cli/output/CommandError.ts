import { Data } from "effect"
import type { ChannelUnavailable, Conflict, ValidationError } from "../../domain/Errors.ts"

/** The command cannot be carried out; `message` says why, for a person. */
export class CommandError extends Data.TaggedError("CommandError")<{ readonly message: string }> {}

/** Explains each refusal by its tag, for a person. */
export const refusalOf =
  <Tag extends string>(reasons: Readonly<Record<Tag, string>>) =>
  ({ _tag }: { readonly _tag: Tag }) =>
    new CommandError({ message: reasons[_tag] })

/** The refusal after too many concurrent changes of the customer's set-up. */
export const SET_UP_CHANGES = "the customer's set-up is changing; try again"

const reasonOf = (error: ValidationError | ChannelUnavailable | Conflict): string =>
  error._tag === "validation_error"
    ? error.details.errors.map(({ message }) => message).join("; ")
    : (error.details.reason ?? error._tag)

/** The error with its reason, for a person. */
export const describeError = (error: ValidationError | ChannelUnavailable | Conflict) =>
  new CommandError({ message: reasonOf(error) })
