import type { KeyMode } from "../../domain/people/Customer.ts"
import type { Message } from "../../domain/message/Message.ts"
import { type Lane, lanes, laneState } from "../../domain/message/MessageLanes.ts"
import type { CommitKind } from "../postgres/batching/CommitBatchSql.ts"
import type { CommitEntry } from "../postgres/batching/CommitParts.ts"
import { MESSAGE_SNAPSHOT, TIMER_KINDS } from "./MessageRow.ts"

/** A transition of a message in one of its lanes. */
export interface MessageCommit extends CommitEntry<Message> {
  readonly lane: Lane
}

/** The transition ends other lanes too, which have timers. */
const endsOthers = ({ before, lane, transition: { next } }: MessageCommit): boolean =>
  next.completedAt !== null &&
  lanes(before).some((other) => other !== lane && laneState(before, other) === "open")

/** One mode's messages, for the statement that commits a batch of their transitions. */
export const committedMessages = (mode: KeyMode): CommitKind<MessageCommit> => ({
  name: "message_record",
  mode,
  timerKind: TIMER_KINDS[mode],
  table: "messages",
  alias: "m",
  columns: [
    { name: "lane", type: "int2", of: ({ lane }) => lane },
    {
      name: "reservations",
      type: "text",
      cast: "jsonb",
      of: ({ transition }) => JSON.stringify(transition.next.reservations)
    },
    { name: "patient_until", type: "timestamptz", of: ({ transition }) => transition.next.patientUntil },
    { name: "completed_at", type: "timestamptz", of: ({ transition }) => transition.next.completedAt }
  ],
  sets: `reservations = r.reservations, patient_until = r.patient_until, completed_at = r.completed_at`,
  lane: "r.lane",
  shown: ["completed_at"],
  snapshot: MESSAGE_SNAPSHOT,
  parts: [
    {
      isNeeded: endsOthers,
      columns: [{ name: "ends_others", type: "bool", of: endsOthers }],
      sql: `other_timers as (
        delete from timers t using changed c
        where c.ends_others and t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id
          and t.lane <> c.timer_lane)`
    }
  ]
})
