import type { KeyMode } from "../../../domain/customer/Customer.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { Channel } from "../../../domain/routing/Channel.ts"
import type { TimeRange } from "../../../domain/Paging.ts"

/** The conditions that a search of codes and one of messages share. */
export interface SendSearch extends TimeRange {
  /** Live if absent. */
  readonly mode?: KeyMode | undefined
  readonly phone?: Phone | undefined
  /** A channel that was tried. */
  readonly channel?: Channel | undefined
  /** Top-level keys of the metadata, and the text that each must have. */
  readonly metadata?: ReadonlyMap<string, string> | undefined
}
