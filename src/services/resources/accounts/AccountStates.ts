import { Context, type Effect } from "effect"
import type { AccountState } from "../../../domain/account/AccountState.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { AccountOwner } from "./Accounts.ts"

/** The current states of sending accounts, for people who watch them. */
export class AccountStates extends Context.Service<
  AccountStates,
  {
    /** By id; of these accounts those that the owner has, or may use because they are shared. */
    readonly read: (
      owner: AccountOwner,
      ids: ReadonlyArray<number>,
      now: Instant
    ) => Effect.Effect<ReadonlyMap<number, AccountState>>
  }
>()("peyk/services/resources/accounts/AccountStates") {}
