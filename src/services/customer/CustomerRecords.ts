import { Context, type Effect } from "effect"
import type { NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { LimitChange, LimitOverrides } from "../../domain/customer/Admission.ts"
import type { Plan } from "../../domain/customer/Customer.ts"
import type { Locale } from "../../domain/message/Template.ts"

export interface CustomerRecord {
  readonly id: number
  readonly name: string
  readonly plan: Plan
  /** The site whose pages take codes out of messages by themselves (WebOTP). */
  readonly webOtpHost: string | null
  /** The brand that the default text names. */
  readonly brand: string | null
  /** The language of the default text. */
  readonly locale: Locale
  readonly createdAt: Instant
}

/** A missing field stays as it is. */
interface CustomerChange {
  readonly name?: string | undefined
  readonly plan?: Plan | undefined
  readonly webOtpHost?: string | null | undefined
  readonly brand?: string | null | undefined
  readonly locale?: Locale | undefined
}

/** The customers of this installation. Customers are never removed. */
export class CustomerRecords extends Context.Service<
  CustomerRecords,
  {
    readonly list: Effect.Effect<ReadonlyArray<CustomerRecord>>
    readonly find: (id: number) => Effect.Effect<CustomerRecord, NotFound>
    readonly create: (name: string, plan: Plan) => Effect.Effect<CustomerRecord>
    readonly update: (id: number, change: CustomerChange) => Effect.Effect<CustomerRecord, NotFound>
    /** The customer's own limits; the platform's count where it has none. */
    readonly limits: (id: number) => Effect.Effect<LimitOverrides, NotFound>
    /** The customer's own limits after the change. */
    readonly changeLimits: (id: number, change: LimitChange) => Effect.Effect<LimitOverrides, NotFound>
  }
>()("peyk/services/customer/CustomerRecords") {}
