import { Context, type Effect } from "effect"
import type { Conflict, NotFound } from "../../domain/Errors.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { Role } from "../../domain/user/Actor.ts"
import type { UserRecord } from "../../domain/user/User.ts"

interface NewUser {
  /** Normalized. */
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly passwordHash: string
}

/** A user whom nothing else changes until the transaction ends, and how many other owners can sign in. */
interface LockedUser {
  readonly user: UserRecord
  readonly otherOwners: number
}

/** A missing field stays as it is. */
export interface UserChange {
  readonly name?: string | undefined
  readonly role?: Role | undefined
  readonly isDisabled?: boolean | undefined
}

/**
 * The people who manage a customer's account. Those of another customer do not exist here. A user who is disabled, or
 * gets another password, is signed out everywhere. Changes are parts of a transaction.
 */
export class Users extends Context.Service<
  Users,
  {
    readonly list: (customerId: number, page: PageRequest) => Effect.Effect<Page<UserRecord>>
    readonly find: (customerId: number, id: string) => Effect.Effect<UserRecord, NotFound>
    /** A conflict if this address already exists. */
    readonly create: (customerId: number, user: NewUser) => Effect.Effect<UserRecord, Conflict>
    /** The customer whose user this is. */
    readonly ownerOf: (id: string) => Effect.Effect<number, NotFound>
    /** Waits for changes of the customer's owners, so that two owners cannot remove each other. */
    readonly lock: (customerId: number, id: string) => Effect.Effect<LockedUser, NotFound>
    readonly update: (
      customerId: number,
      id: string,
      change: UserChange
    ) => Effect.Effect<UserRecord, NotFound>
    readonly setPassword: (
      customerId: number,
      id: string,
      passwordHash: string
    ) => Effect.Effect<UserRecord, NotFound>
  }
>()("peyk/services/user/Users") {}
