/** No event without its change, no change without its event; and each was delivered. */
import { describe, groupBy, type Invariant } from "../Evidence.ts"
import type { AlarmRecord, EventRecord, SubjectRecord } from "../Records.ts"

const isRun = (events: ReadonlyArray<EventRecord>): boolean =>
  events.every(({ sequence }, index) => sequence === index + 1)

type Count = (type: string) => number
type Expectation = readonly [type: string, isMet: boolean]

const endsOnce = (ends: ReadonlyArray<string>, status: string, count: Count): ReadonlyArray<Expectation> =>
  ends.map((end) => [end, count(end) === (end.endsWith(`.${status}`) ? 1 : 0)])

const codeExpectations = ({ status, attempts }: SubjectRecord, count: Count): ReadonlyArray<Expectation> => {
  const sent = attempts.filter((each) => each.status === "sent").length
  const uncertain = attempts.filter((each) => each.error_code === "provider_outcome_unknown").length
  const uncalled = attempts.filter(({ attempted_at }) => attempted_at === null).length
  const failed = attempts.length - sent - uncertain - uncalled
  const unknown = count("verification.attempt_unknown")
  return [
    ...endsOnce(
      ["verification.verified", "verification.failed", "verification.locked", "verification.expired"],
      status,
      count
    ),
    ["verification.queued", count("verification.queued") <= 1],
    ["verification.attempt_sent", count("verification.attempt_sent") === sent],
    ["verification.attempt_failed", count("verification.attempt_failed") === failed],
    // An outcome that was unknown at first, and then settled by its repeat, has both events.
    ["verification.attempt_unknown", unknown >= uncertain && unknown <= attempts.length]
  ]
}

const messageExpectations = (
  { status, attempts }: SubjectRecord,
  count: Count
): ReadonlyArray<Expectation> => {
  const wasBegun = attempts.some(({ attempted_at }) => attempted_at !== null)
  return [
    ["message.queued", count("message.queued") === 1],
    // A message that found no connection had begun, and its attempt has no call.
    ["message.sending", count("message.sending") === 1 || (!wasBegun && count("message.sending") === 0)],
    ...endsOnce(["message.sent", "message.failed", "message.partial_failed"], status, count)
  ]
}

const gapsOf = (written: number, events: ReadonlyArray<EventRecord>): ReadonlyArray<string> =>
  isRun(events) && events.length === written
    ? []
    : [`wrote ${written} events, and there are ${events.map(({ sequence }) => sequence).join(" ")}`]

const alarmProblems = (alarm: AlarmRecord, events: ReadonlyArray<EventRecord>): ReadonlyArray<string> => {
  const types = events.map(({ type }) => type)
  const expected = alarm.isCleared ? ["guard.alarm", "guard.cleared"] : ["guard.alarm"]
  const isExpected = types.join() === expected.join()
  return [
    ...gapsOf(alarm.eventsWritten, events),
    ...(isExpected ? [] : [`has the events ${types.join(", ")}`])
  ].map((problem) => `alarm ${alarm.id} ${problem}`)
}

const problemsOf = (subject: SubjectRecord, events: ReadonlyArray<EventRecord>): ReadonlyArray<string> => {
  const count = (type: string) => events.filter((event) => event.type === type).length
  const expectations =
    subject.kind === "code" ? codeExpectations(subject, count) : messageExpectations(subject, count)
  return [
    ...gapsOf(subject.eventsWritten, events),
    ...expectations.flatMap(([type, isMet]) => (isMet ? [] : [`has ${count(type)} times ${type}`]))
  ]
}

export const events: Invariant = ({ records, webhooks }) => {
  const bySubject = groupBy(records.events, ({ subject }) => subject)
  const known = new Set([...records.subjects, ...records.alarms].map(({ id }) => id))
  const kept = new Map(records.events.map((event) => [event.id, event]))
  const arrived = [...webhooks.events.values()].reduce((sum, event) => sum + event.arrived, 0)
  return {
    invariant: "No event was lost, and none is without its change of state",
    counted: `${records.events.length} events, each gapless in its sequence; ${arrived} deliveries, ${arrived - webhooks.events.size} of them repeats`,
    isCovered: arrived > 0,
    broken: [
      ...records.subjects.flatMap((subject) =>
        problemsOf(subject, bySubject.get(subject.id) ?? []).map(
          (problem) => `${describe(subject)} ${problem}`
        )
      ),
      ...records.alarms.flatMap((alarm) => alarmProblems(alarm, bySubject.get(alarm.id) ?? [])),
      ...records.events
        .filter(({ subject }) => !known.has(subject))
        .map(({ id, type }) => `${type} ${id} is about nothing`),
      ...records.events
        .filter(({ id }) => (webhooks.events.get(id)?.taken ?? 0) === 0)
        .map(({ id, type, subject }) => `${type} ${id} of ${subject} was not delivered`),
      ...[...webhooks.events].flatMap(([id, { type }]) =>
        kept.get(id)?.type === type ? [] : [`webhook ${id} reported ${type}, which is not in the store`]
      ),
      ...webhooks.contradictions.map((id) => `webhook ${id} came with two different bodies`),
      ...records.deliveries
        .filter(({ status }) => status !== "delivered")
        .map(({ eventId, status }) => `the delivery of ${eventId} is ${status}`)
    ]
  }
}
