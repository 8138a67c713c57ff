import { Schema } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, Instant, SECOND_MILLIS } from "./Instant.ts"
import type { defaultIdempotency } from "./customer/IdempotencyKey.ts"

/** Rows that expire by themselves and have no use after that. */
const lapsingTables = [
  "idempotency_keys",
  "phone_counters",
  "platform_phone_counters",
  "monthly_counters",
  "key_windows",
  "credential_windows",
  "management_answers",
  "sign_in_failures",
  "refresh_tokens",
  "console_sessions",
  "sign_in_links",
  "pending_sign_ins",
  "activity_slots",
  "code_sums",
  "account_balances",
  "signing_keys",
  "webhook_listeners",
  "guard_segments",
  "guard_budgets",
  "guard_alarms",
  "guard_bombed_phones",
  "guard_days",
  "alert_deliveries",
  "alerts",
  "alert_subjects",
  "alert_windows",
  "alert_recipients"
] as const
export type LapsingTable = (typeof lapsingTables)[number]

/** The kinds of data that a round deletes or erases, in its order: events before their records. */
export const retentionTasks = [
  ...lapsingTables,
  "simulator_messages",
  "request_blocks",
  "events",
  "verification_phones",
  "message_phones",
  "verifications",
  "messages",
  "audit_log"
] as const
export type RetentionTask = (typeof retentionTasks)[number]

/** Tasks that leave rows in place: they store how far they have worked, so as not to read those rows again. */
export const erasingTasks = ["verification_phones", "message_phones"] as const
export type ErasingTask = (typeof erasingTasks)[number]

export const isErasing = (task: RetentionTask): task is ErasingTask =>
  (erasingTasks as ReadonlyArray<string>).includes(task)

/** How long data is kept, in days, unless the operator sets others; 0: forever. */
export const defaultRetention = {
  /** After that, phones and texts of verifications and messages are erased. */
  retentionPhonesDays: 90,
  /** After that, verifications and messages are deleted. */
  retentionRecordsDays: 400,
  retentionEventsDays: 30,
  retentionAuditDays: 0,
  /** 0: there is no request log. */
  requestLogDays: 3
}

type RetentionAges = Readonly<typeof defaultRetention & typeof defaultIdempotency>

/** A shorter time would delete data that is still needed. */
export const MIN_RETENTION_DAYS = 7
export const MAX_RETENTION_DAYS = 36_500
export const MAX_REQUEST_LOG_DAYS = 90

/** The clocks of processes can differ a little. */
const LAPSED_FOR_MILLIS = HOUR_MILLIS
/** The delivery of an event takes time, and needs the event's record. */
const EVENT_LEAD_MILLIS = 3 * DAY_MILLIS

const ageOf = (days: number): number => (days === 0 ? Number.POSITIVE_INFINITY : days * DAY_MILLIS)

const recordAge = (ages: RetentionAges, days: number): number =>
  Math.max(ageOf(days), ages.idempotencyMillis + DAY_MILLIS)

const eventAge = (ages: RetentionAges): number =>
  Math.min(ageOf(ages.retentionEventsDays), recordAge(ages, ages.retentionRecordsDays) - EVENT_LEAD_MILLIS)

/** If the whole record is deleted as early, there is nothing to erase in it. */
const phonesAge = (ages: RetentionAges): number => {
  const age = recordAge(ages, ages.retentionPhonesDays)
  return age < recordAge(ages, ages.retentionRecordsDays) ? age : Number.POSITIVE_INFINITY
}

const taskAge = (task: RetentionTask, ages: RetentionAges): number => {
  switch (task) {
    case "simulator_messages":
      return ageOf(ages.retentionPhonesDays)
    case "events":
      return eventAge(ages)
    case "verification_phones":
    case "message_phones":
      return phonesAge(ages)
    case "verifications":
    case "messages":
      return recordAge(ages, ages.retentionRecordsDays)
    case "audit_log":
      return ageOf(ages.retentionAuditDays)
    case "request_blocks":
      // Without a log, what an earlier process kept leaves too.
      return Math.max(ages.requestLogDays * DAY_MILLIS, LAPSED_FOR_MILLIS)
    default:
      return LAPSED_FOR_MILLIS
  }
}

/** Everything that ended, or was created, before this instant is old; null: nothing ever is. */
export const cutOf = (task: RetentionTask, ages: RetentionAges, now: Instant): Instant | null => {
  const age = taskAge(task, ages)
  return Number.isFinite(age) ? now - age : null
}

/** No record that was created from this instant on is deleted yet, nor will be within the hour. */
export const recordsWholeSince = (ages: RetentionAges, now: Instant): Instant => {
  const cut = cutOf("verifications", ages, now + HOUR_MILLIS)
  return cut === null ? 0 : Math.max(0, cut)
}

/** How far a task has worked: a customer and the last finished id of theirs; or a page of the table. */
export const RetentionPosition = Schema.Struct({
  at: Schema.Int,
  after: Schema.NullOr(Schema.String),
  /** The cell that it works in; absent: the store's own schema, which comes first. */
  cell: Schema.optionalKey(Schema.Int)
})
export type RetentionPosition = typeof RetentionPosition.Type

/** One task's part of a round: rows created from `from` on (if ids show the time) and older than `until`. */
export const RetentionPass = Schema.Struct({
  task: Schema.Literals(retentionTasks),
  from: Instant,
  until: Instant,
  /** After the pass, everything older is finished. */
  doneUntil: Instant,
  position: RetentionPosition
})
export type RetentionPass = typeof RetentionPass.Type

/** How far the rounds have worked. */
export const RetentionProgress = Schema.Struct({
  /** Null between two rounds. */
  pass: Schema.NullOr(RetentionPass),
  /** When the round began; absent before the first. */
  beganAt: Schema.optionalKey(Instant),
  /** Everything older that is finished is already erased. */
  erasedUntil: Schema.Struct({ verification_phones: Instant, message_phones: Instant })
})
export type RetentionProgress = typeof RetentionProgress.Type

export const noProgress: RetentionProgress = {
  pass: null,
  erasedUntil: { verification_phones: 0, message_phones: 0 }
}

export const BEGINNING: RetentionPosition = { at: 0, after: null }

/** The task after this one, or the first, that can have old rows; null at the round's end. */
export const nextTask = (
  after: RetentionTask | null,
  ages: RetentionAges,
  now: Instant
): { readonly task: RetentionTask; readonly cut: Instant } | null => {
  const rest = retentionTasks.slice(after === null ? 0 : retentionTasks.indexOf(after) + 1)
  for (const task of rest) {
    const cut = cutOf(task, ages, now)
    if (cut !== null) return { task, cut }
  }
  return null
}

/**
 * Begins a task. A later pass must look again at what is not finished yet (`unfinishedSince`: when the oldest of it was
 * created), and at everything younger.
 */
export const beginPass = (
  { erasedUntil }: RetentionProgress,
  { task, cut }: { readonly task: RetentionTask; readonly cut: Instant },
  unfinishedSince: Instant | null
): RetentionPass => {
  const from = isErasing(task) ? erasedUntil[task] : 0
  const doneUntil = Math.max(from, Math.min(cut, unfinishedSince ?? cut))
  return { task, from, until: cut, doneUntil, position: BEGINNING }
}

/** After a batch of the pass, which continues at `next`; null: the pass is over and the next task begins. */
export const afterBatch = (
  progress: RetentionProgress,
  pass: RetentionPass,
  next: RetentionPosition | null
): RetentionProgress => {
  if (next !== null) return { ...progress, pass: { ...pass, position: next } }
  const erasedUntil = isErasing(pass.task)
    ? { ...progress.erasedUntil, [pass.task]: pass.doneUntil }
    : progress.erasedUntil
  return { ...progress, pass: null, erasedUntil }
}

/** From the beginning of a round to the next, and the longest turn, after which any process may go on. */
export const RETENTION_ROUND_MILLIS = HOUR_MILLIS
export const RETENTION_TURN_MILLIS = 30 * SECOND_MILLIS

const MIN_PAUSE_MILLIS = 10
const MIN_PAUSE_AFTER_WORK_MILLIS = 100
/** 2.5 times as fast at most: with a shorter pause, sends would wait. */
const MIN_PAUSE_IN_A_HURRY_MILLIS = 40
const PAUSE_PER_WORK = 4

/**
 * How long to leave the store alone after a batch that took `elapsed` ms and removed or erased `gone` rows. A
 * round that has gone on for `age` ms, longer than until the next, would fall further behind: it pauses less.
 */
export const retentionPauseMillis = (elapsed: number, gone: number, age: number): number => {
  const isLate = age >= RETENTION_ROUND_MILLIS
  const afterWork = isLate ? MIN_PAUSE_IN_A_HURRY_MILLIS : MIN_PAUSE_AFTER_WORK_MILLIS
  return Math.max(isLate ? elapsed : elapsed * PAUSE_PER_WORK, gone > 0 ? afterWork : MIN_PAUSE_MILLIS)
}
