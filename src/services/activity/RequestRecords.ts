import { Context, type Effect } from "effect"
import type { NotFound } from "../../domain/Errors.ts"
import type { Page, PageRequest, TimeRange } from "../../domain/Paging.ts"
import type { LoggedRequest } from "../../domain/activity/LoggedRequest.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"

export interface RequestSearch extends TimeRange {
  /** The request's own id, or that of its verification or message. */
  readonly id?: string | undefined
  readonly maskedPhone?: string | undefined
  /** The beginning of the route: `/v1/otp`. */
  readonly route?: string | undefined
  /** The lowest and the highest status. */
  readonly statuses?: readonly [from: number, to: number] | undefined
  readonly code?: string | undefined
  readonly keyId?: number | undefined
  readonly mode?: KeyMode | undefined
}

/** The request log, the newest first; of a customer, or of all of them (null). */
export class RequestRecords extends Context.Service<
  RequestRecords,
  {
    /** A page can be short, or even empty, without being the last: one query reads a limited number of blocks. */
    readonly list: (
      customerId: number | null,
      search: RequestSearch & PageRequest
    ) => Effect.Effect<Page<LoggedRequest>>
    readonly find: (customerId: number | null, id: string) => Effect.Effect<LoggedRequest, NotFound>
  }
>()("peyk/services/activity/RequestRecords") {}
