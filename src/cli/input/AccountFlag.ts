import { Flag } from "effect/cli"
import { CommandError } from "../output/CommandError.ts"

/** `--account ID`, for every command about one account. */
export const accountFlag = Flag.Int("account").pipe(Flag.withDescription("The account's credential_id"))

export const noAccount = (id: number) => () => new CommandError({ message: `there is no account ${id}` })
