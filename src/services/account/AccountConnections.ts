import { Context, Data, type Effect } from "effect"
import type { ProviderConnection } from "../provider/ProviderAdapter.ts"

/** An account whose set-up does not work; `message` is for people. */
export class AccountUnusable extends Data.TaggedError("AccountUnusable")<{ readonly message: string }> {}

/** The connected accounts, ready to use. */
export class AccountConnections extends Context.Service<
  AccountConnections,
  { readonly of: (accountId: number) => Effect.Effect<ProviderConnection, AccountUnusable> }
>()("peyk/services/account/AccountConnections") {}
