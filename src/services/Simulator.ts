import { Context, type Effect } from "effect"
import type { Instant } from "../domain/Instant.ts"

/** What a simulated phone received. */
export interface SimulatedMessage {
  readonly phone: string
  readonly channel: string
  readonly text: string
  readonly code: string | null
  readonly at: Instant
}

/** The phones of the simulator provider. */
export class Simulator extends Context.Service<
  Simulator,
  {
    /** Without the simulator there are no phones: its accounts send nothing. */
    readonly isOn: boolean
    readonly receive: (message: SimulatedMessage) => Effect.Effect<void>
    /** The newest first, at most 200; from all phones if none is named. */
    readonly messages: (phone: string | null) => Effect.Effect<ReadonlyArray<SimulatedMessage>>
  }
>()("peyk/services/Simulator") {}
