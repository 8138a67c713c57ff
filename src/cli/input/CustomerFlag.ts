import { Flag } from "effect/cli"

/** `--customer ID`, for every command that is about one. */
export const customerFlag = Flag.Int("customer").pipe(Flag.withDescription("The customer's id"))
