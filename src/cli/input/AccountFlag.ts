import { Flag } from "effect/cli"

/** `--account ID`, for every command that is about one. */
export const accountFlag = Flag.Int("account").pipe(Flag.withDescription("The account's credential_id"))
