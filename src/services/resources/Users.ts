import { Context, type Effect } from "effect"
import type { Role } from "../../domain/people/Actor.ts"
import type { Conflict, NotFound } from "../../domain/Errors.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { UserRecord } from "../../domain/people/User.ts"

export interface NewUser {
  /** Normalized. */
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly passwordHash: string
}

/** A missing field stays as it is. */
export interface UserChange {
  readonly name?: string | undefined
  readonly role?: Role | undefined
  readonly isDisabled?: boolean | undefined
}

/**
 * The people who manage a customer. Those of another customer do not exist here; for an operator, who names no
 * customer, all do. A user who is disabled, or gets another password, is signed out everywhere.
 */
export class Users extends Context.Service<
  Users,
  {
    readonly list: (customerId: number, page: PageRequest) => Effect.Effect<Page<UserRecord>>
    readonly find: (customerId: number, id: string) => Effect.Effect<UserRecord, NotFound>
    /** A conflict if this address already exists. */
    readonly create: (customerId: number, user: NewUser) => Effect.Effect<UserRecord, Conflict>
    /** A conflict if a customer's change would leave no owner. */
    readonly update: (
      customerId: number | null,
      id: string,
      change: UserChange
    ) => Effect.Effect<UserRecord, NotFound | Conflict>
    readonly setPassword: (
      customerId: number | null,
      id: string,
      passwordHash: string
    ) => Effect.Effect<UserRecord, NotFound>
  }
>()("peyk/services/resources/Users") {}
