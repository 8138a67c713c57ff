import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { SimulatedOutcome } from "../../domain/ProviderOutcome.ts"

/** A message that a simulated phone received. */
interface SimulatedMessage {
  readonly phone: string
  readonly channel: string
  readonly text: string
  readonly code: string | null
  readonly at: Instant
}

export interface ReceivedMessage extends SimulatedMessage {
  readonly id: number
}

interface SimulatedSend {
  readonly accountId: number | null
  /** The outcome of the account's sends, unless another one is forced. */
  readonly outcome: SimulatedOutcome
  readonly message: SimulatedMessage
}

interface SimulatorSearch extends PageRequest {
  /** A part of the number, in digits. */
  readonly phone?: string | undefined
  readonly channel?: string | undefined
  /** A part of the text, or of the code. */
  readonly text?: string | undefined
}

/** The phones of the simulator provider. */
export class Simulator extends Context.Service<
  Simulator,
  {
    /** Without the simulator there are no phones: its accounts send nothing. */
    readonly isOn: boolean
    /** Returns the outcome. The phone receives the message if it is accepted, or only the response is lost. */
    readonly send: (send: SimulatedSend) => Effect.Effect<SimulatedOutcome>
    /** The newest first, at most 200; from all phones if none is named. */
    readonly messages: (phone: string | null) => Effect.Effect<ReadonlyArray<SimulatedMessage>>
    /** The newest first. */
    readonly search: (search: SimulatorSearch) => Effect.Effect<Page<ReceivedMessage>>
    readonly remove: (id: number) => Effect.Effect<void>
    /** The messages of one phone; null: of all. */
    readonly removeAll: (phone: string | null) => Effect.Effect<void>
    /** The outcomes that are forced for the next send of these accounts. */
    readonly forced: (
      accountIds: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, SimulatedOutcome>>
    /** The account's next send has this outcome, once; null: its own again. */
    readonly force: (accountId: number, outcome: SimulatedOutcome | null) => Effect.Effect<void>
  }
>()("peyk/services/system/Simulator") {}
