import { Flag } from "effect/cli"
import { type ActionRefusal, CommandError, refusedAction } from "../output/CommandError.ts"

/** `--webhook ID`, for every command about one webhook. */
export const webhookFlag = Flag.Int("webhook").pipe(Flag.withDescription("The webhook's id"))

/** Why an operation on a customer's webhook is impossible, for people. */
export const refusal = (customer: number, subject: string) => (error: ActionRefusal) =>
  error._tag === "not_found"
    ? new CommandError({ message: `customer ${customer} has no ${subject}` })
    : refusedAction(subject)(error)
