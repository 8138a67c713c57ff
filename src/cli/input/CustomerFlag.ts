import { Flag } from "effect/cli"

/** `--customer ID`, for every command about one customer. */
export const customerFlag = Flag.Int("customer").pipe(Flag.withDescription("The customer's id"))
