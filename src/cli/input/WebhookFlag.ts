import { Flag } from "effect/cli"
import type { Conflict, NotFound } from "../../domain/Errors.ts"
import { CommandError } from "../output/CommandError.ts"
import { textOf } from "../../domain/ProblemTexts.ts"

/** `--webhook ID`, for every command about one webhook. */
export const webhookFlag = Flag.Int("webhook").pipe(Flag.withDescription("The webhook's id"))

/** Why an operation on a customer's webhook is impossible, for people. */
export const refusal = (customer: number, subject: string) => (error: NotFound | Conflict) =>
  new CommandError({
    message: error._tag === "conflict" ? textOf(error.problem) : `customer ${customer} has no ${subject}`
  })
