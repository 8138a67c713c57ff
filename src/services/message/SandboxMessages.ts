import { Context } from "effect"
import type { Messages } from "./Messages.ts"

/** The sandbox's composition of `Messages`, for those who use it next to the live one. */
export class SandboxMessages extends Context.Service<SandboxMessages, Messages["Service"]>()(
  "peyk/services/message/SandboxMessages"
) {}
