import { Context } from "effect"

/** What a call to the outside is for; each has connections of its own. */
export type CallKind = "code" | "text" | "webhook"

export const CallKind = Context.Reference<CallKind>("peyk/services/provider/CallKind", {
  defaultValue: () => "text"
})
