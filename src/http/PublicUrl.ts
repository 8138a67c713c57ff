import { Context } from "effect"

/** The public address of this service, without a slash at its end; null: it was not set. */
export const PublicUrl = Context.Reference<string | null>("peyk/http/PublicUrl", { defaultValue: () => null })
