/** No timer is left for anything that ended, and no lease. */
import { type Invariant, tally } from "../Evidence.ts"
import { TERMINAL } from "../Statuses.ts"

export const timers: Invariant = ({ records }) => {
  const finished = new Set(
    records.subjects.filter(({ kind, status }) => TERMINAL[kind].includes(status)).map(({ id }) => id)
  )
  return {
    invariant: "No timer is left of what has ended, and no lease",
    counted:
      records.timers.length === 0 ? "the table is empty" : tally(records.timers.map(({ kind }) => kind)),
    isCovered: finished.size > 0,
    broken: records.timers.flatMap(({ kind, subject, isLeased }) => [
      ...(isLeased ? [`${kind} ${subject} is leased`] : []),
      ...(finished.has(subject) ? [`${kind} ${subject} has ended`] : [])
    ])
  }
}
