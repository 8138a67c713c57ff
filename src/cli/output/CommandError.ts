import { Data } from "effect"
import type {
  BlockedPhone,
  ChannelUnavailable,
  Conflict,
  InsufficientBalance,
  InvalidChannel,
  MessageEnded,
  NoNextChannel,
  NotFound,
  PreconditionFailed,
  ScopeInsufficient,
  ServiceUnavailable,
  SuspectedFraud,
  TooManyRequestsPhoneHour,
  TooManySignIns,
  ValidationError,
  VerificationEnded
} from "../../domain/Errors.ts"
import type { FieldProblem } from "../../domain/Problem.ts"
import { textOf } from "../../domain/ProblemTexts.ts"

/** The command cannot be carried out; `message` says why, for a person. */
export class CommandError extends Data.TaggedError("CommandError")<{ readonly message: string }> {}

/** Explains each refusal by its tag, for a person. */
export const refusalOf =
  <Tag extends string>(reasons: Readonly<Record<Tag, string>>) =>
  ({ _tag }: { readonly _tag: Tag }) =>
    new CommandError({ message: reasons[_tag] })

/** The refusal after too many concurrent changes of the customer's set-up. */
export const SET_UP_CHANGES = "the customer's set-up is changing; try again"

/** Why an action was refused. */
export type ActionRefusal =
  | NotFound
  | ValidationError
  | Conflict
  | PreconditionFailed
  | ScopeInsufficient
  | ChannelUnavailable
  | TooManySignIns
  | ServiceUnavailable
  | VerificationEnded
  | NoNextChannel
  | InvalidChannel
  | BlockedPhone
  | SuspectedFraud
  | TooManyRequestsPhoneHour
  | InsufficientBalance
  | MessageEnded

/** Fields whose flag has another name. */
type FlagNames = Readonly<Record<string, string>>

/** `body.expires_at` is `--expires-at`. */
const flagProblem =
  (flags: FlagNames) =>
  ({ path, problem }: FieldProblem): string => {
    const message = textOf(problem)
    const field = path.replace(/^body\.?/, "")
    const flag = flags[field.replace(/[.[].*$/, "")] ?? field.replaceAll("_", "-")
    return flag === "" ? message : `--${flag} ${message}`
  }

const reasonOf = (error: ValidationError | ChannelUnavailable | Conflict): string =>
  error._tag === "validation_error"
    ? error.problems.map(({ problem }) => textOf(problem)).join("; ")
    : error.problem === undefined
      ? error._tag
      : textOf(error.problem)

/** The error with its reason, for a person. */
export const describeError = (error: ValidationError | ChannelUnavailable | Conflict) =>
  new CommandError({ message: reasonOf(error) })

/** What refused an action, for a person at the terminal: a missing thing by its name, a flag by its own. */
export const refusedAction =
  (missing: string, flags: FlagNames = {}) =>
  (error: ActionRefusal): CommandError => {
    switch (error._tag) {
      case "not_found":
        return new CommandError({ message: `there is no ${missing}` })
      case "validation_error":
        return new CommandError({ message: error.problems.map(flagProblem(flags)).join("; ") })
      case "channel_unavailable":
        return describeError(error)
      case "conflict":
        return new CommandError({ message: textOf(error.problem) })
      case "precondition_failed":
        return new CommandError({ message: SET_UP_CHANGES })
      case "verification_ended":
        return new CommandError({ message: "the verification has ended" })
      case "no_next_channel":
        return new CommandError({ message: "no channel is left to try" })
      case "invalid_channel":
        return new CommandError({ message: "--channel is not one that can be tried now" })
      case "blocked_phone":
        return new CommandError({ message: "the customer's deny list has the phone" })
      case "suspected_fraud":
        return new CommandError({ message: "the guard refuses the call: it looks like abuse" })
      case "too_many_requests_phone_hour":
        return new CommandError({
          message: `the phone was called too often; again in ${error.retryAfterSeconds} seconds`
        })
      case "insufficient_balance":
        return new CommandError({
          message: "the customer's balance does not cover the channel: nothing was tried"
        })
      case "message_ended":
        return new CommandError({ message: "the message was sent, may have been, or has ended" })
      case "scope_insufficient":
        return new CommandError({ message: "an operator may not do this" })
      case "too_many_sign_ins":
      case "service_unavailable":
        return new CommandError({ message: "too many passwords are being set at once; try again" })
    }
  }

/** A refusal that concerns something of a customer. */
export const refusedOf = (customer: number, subject: string) => (error: ActionRefusal) =>
  error._tag === "not_found"
    ? new CommandError({ message: `customer ${customer} has no ${subject}` })
    : refusedAction(subject)(error)

/** What doctor found to be wrong. */
export class Unhealthy extends Data.TaggedError("Unhealthy")<{ readonly message: string }> {}
