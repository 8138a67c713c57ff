import { Flag } from "effect/cli"

/** `--webhook ID`, for every command about one webhook. */
export const webhookFlag = Flag.Int("webhook").pipe(Flag.withDescription("The webhook's id"))
