import { Context } from "effect"

/** The purpose of a call to the outside; each has its own connections. */
export type CallKind = "code" | "text" | "webhook"

export const CallKind = Context.Reference<CallKind>("peyk/services/provider/CallKind", {
  defaultValue: () => "text"
})
