import { Flag } from "effect/cli"
import type { Conflict, NotFound } from "../../domain/Errors.ts"
import { ManagementError } from "../../services/resources/Management.ts"

/** `--webhook ID`, for every command that is about one. */
export const webhookFlag = Flag.Int("webhook").pipe(Flag.withDescription("The webhook's id"))

/** Why something about a customer's webhook cannot be done, for people. */
export const refusal = (customer: number, subject: string) => (error: NotFound | Conflict) =>
  new ManagementError({
    message: error._tag === "conflict" ? error.details.reason : `customer ${customer} has no ${subject}`
  })
