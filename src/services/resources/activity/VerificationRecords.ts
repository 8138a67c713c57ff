import { Context, type Effect } from "effect"
import type { Channel } from "../../../domain/routing/Channel.ts"
import type { KeyMode } from "../../../domain/people/Customer.ts"
import type { NotFound } from "../../../domain/Errors.ts"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { TimeRange } from "../../../domain/TimePosition.ts"
import type { Verification, VerificationStatus } from "../../../domain/verification/Verification.ts"

export interface VerificationSearch extends TimeRange {
  /** Live if absent. */
  readonly mode?: KeyMode | undefined
  readonly phone?: Phone | undefined
  /** The status for readers: an active one past its end is expired. */
  readonly status?: VerificationStatus | undefined
  /** A channel that was tried. */
  readonly channel?: Channel | undefined
  /** Top-level keys of the metadata, and the text that each must have. */
  readonly metadata?: ReadonlyMap<string, string> | undefined
}

/** A customer's live verifications, the newest first. */
export class VerificationRecords extends Context.Service<
  VerificationRecords,
  {
    /** A page can be short, or even empty, without being the last: one query reads a limited number of rows. */
    readonly list: (
      customerId: number,
      search: VerificationSearch & PageRequest
    ) => Effect.Effect<Page<Verification>>
    /** @param mode live if absent */
    readonly find: (customerId: number, id: string, mode?: KeyMode) => Effect.Effect<Verification, NotFound>
  }
>()("peyk/services/resources/activity/VerificationRecords") {}
