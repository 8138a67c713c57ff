import { Flag } from "effect/cli"

/** `--account ID`, for every command about one account. */
export const accountFlag = Flag.Int("account").pipe(Flag.withDescription("The account's credential_id"))
