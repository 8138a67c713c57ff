import { Context, type Effect } from "effect"
import type { NotFound } from "../../domain/Errors.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { Segment } from "../../domain/guard/Segments.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import type { Verification, VerificationStatus } from "../../domain/verification/Verification.ts"
import type { SendCount, SendSearch } from "../message/MessageRecords.ts"

export interface VerificationSearch extends SendSearch {
  /** The status for readers: an active one past its end is expired. */
  readonly status?: VerificationStatus | undefined
  /** What the guard counts together. */
  readonly segment?: Segment | undefined
}

/** A customer's verifications, the newest first, with the attempts that readers are shown. */
export class VerificationRecords extends Context.Service<
  VerificationRecords,
  {
    /** A page can be short, or even empty, without being the last: one query reads a limited number of rows. */
    readonly list: (
      customerId: number,
      search: VerificationSearch & PageRequest
    ) => Effect.Effect<Page<Verification>>
    readonly count: (customerId: number, search: VerificationSearch) => Effect.Effect<SendCount>
    /** @param mode live if absent */
    readonly find: (customerId: number, id: string, mode?: KeyMode) => Effect.Effect<Verification, NotFound>
  }
>()("peyk/services/verification/VerificationRecords") {}
