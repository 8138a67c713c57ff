import { Context, type Effect } from "effect"
import type { Conflict, NotFound, PreconditionFailed, ValidationError } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { GuardDay, ShownAlarm } from "../../domain/guard/Alarm.ts"
import type { EntryType, GuardEntry, GuardList, GuardSettings } from "../../domain/guard/GuardSettings.ts"

/** Version 0: nothing is saved, and the defaults count. */
export interface SavedGuard extends GuardSettings {
  readonly version: number
}

/** The guard's present view of a customer. */
export interface GuardState {
  /** The channel that is out, and since when. */
  readonly outage: { readonly channel: string; readonly since: Instant } | null
  /** A code counts as unverified so long after it was sent; null: nothing was judged yet. */
  readonly judgingDelayMillis: number | null
  readonly conversion: number | null
  readonly openAlarms: ReadonlyArray<ShownAlarm>
}

export interface StoredEntry extends GuardEntry {
  readonly createdAt: Instant
}

/** The alarms of one segment for one reason. */
export interface AlarmGroup {
  /** The newest of them. */
  readonly newest: ShownAlarm
  readonly count: number
  readonly openCount: number
  readonly firstAt: Instant
  /** The codes that all alarms of the group are about. */
  readonly codes: number
  readonly verified: number
}

/** Older alarms than so many newer ones are in no group: an attack can raise many. */
export const MAX_GROUPED = 5000

/** A customer's guard: settings, lists, alarms, report. */
export class GuardRecords extends Context.Service<
  GuardRecords,
  {
    readonly settings: (customerId: number) => Effect.Effect<SavedGuard>
    /** Missing fields stay as they are. */
    readonly save: (
      customerId: number,
      change: Partial<GuardSettings>,
      version: number | null
    ) => Effect.Effect<SavedGuard, PreconditionFailed>
    readonly state: (customerId: number) => Effect.Effect<GuardState>
    /** The days with codes among the last thirty, the newest first. */
    readonly days: (customerId: number) => Effect.Effect<ReadonlyArray<GuardDay>>
    readonly alarms: (customerId: number, page: PageRequest) => Effect.Effect<Page<ShownAlarm>>
    /** The alarms by what they are about, the one with the newest alarm first; its id is the position. */
    readonly alarmGroups: (customerId: number, page: PageRequest) => Effect.Effect<Page<AlarmGroup>>
    readonly alarm: (customerId: number, id: string) => Effect.Effect<ShownAlarm, NotFound>
    /** The newest alarms of the same segment for the same reason, and `alarm` itself. */
    readonly sameAlarms: (
      customerId: number,
      alarm: ShownAlarm,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ShownAlarm>>
    /** Ends an alarm, and forgets what raised it. */
    readonly clear: (customerId: number, id: string) => Effect.Effect<ShownAlarm, NotFound>
    readonly entries: (customerId: number, list: GuardList) => Effect.Effect<ReadonlyArray<StoredEntry>>
    /** Adding what is there changes nothing. */
    readonly add: (
      customerId: number,
      list: GuardList,
      entry: { readonly type: EntryType; readonly value: string }
    ) => Effect.Effect<StoredEntry, ValidationError | Conflict>
    readonly remove: (
      customerId: number,
      list: GuardList,
      entry: { readonly type: EntryType; readonly value: string }
    ) => Effect.Effect<void, NotFound | ValidationError>
  }
>()("peyk/services/guard/GuardRecords") {}
