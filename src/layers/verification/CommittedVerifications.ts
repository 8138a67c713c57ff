import type { KeyMode } from "../../domain/people/Customer.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import type { Verification } from "../../domain/verification/Verification.ts"
import { mayStillSend } from "../../domain/verification/VerificationMachine.ts"
import { intArrayText } from "../postgres/batching/BatchColumns.ts"
import type { CommitKind } from "../postgres/batching/CommitBatchSql.ts"
import type { CommitEntry } from "../postgres/batching/CommitParts.ts"
import { VERIFICATION_SNAPSHOT } from "./VerificationRow.ts"

/** One mode's verifications, for the statement that commits a batch of their transitions. */
export const committedVerifications = (
  mode: KeyMode,
  timerKind: TimerKind
): CommitKind<CommitEntry<Verification>> => ({
  name: "record",
  mode,
  timerKind,
  table: "verifications",
  alias: "v",
  columns: [
    {
      name: "remaining",
      type: "text",
      cast: "int[]",
      of: ({ transition }) => intArrayText(transition.next.remaining)
    },
    { name: "slot_reserved", type: "bool", of: ({ transition }) => transition.next.slotReserved },
    { name: "repeating", type: "bool", of: ({ transition }) => transition.next.repeating },
    { name: "next_step_at", type: "timestamptz", of: ({ transition }) => transition.next.nextStepAt },
    { name: "answered_status", type: "text", of: ({ transition }) => transition.next.answeredStatus },
    { name: "answered_step", type: "int2", of: ({ transition }) => transition.next.answeredStep },
    { name: "keeps_code", type: "bool", of: ({ transition }) => mayStillSend(transition.next) }
  ],
  sets: `remaining = r.remaining, slot_reserved = r.slot_reserved, repeating = r.repeating,
      next_step_at = r.next_step_at, answered_status = r.answered_status, answered_step = r.answered_step,
      sealed_code = case when r.keeps_code then v.sealed_code end,
      code_hash = case when r.status in ('pending', 'queued') then v.code_hash end`,
  lane: "0::smallint",
  shown: ["next_step_at", "verified_at"],
  snapshot: VERIFICATION_SNAPSHOT,
  parts: []
})
