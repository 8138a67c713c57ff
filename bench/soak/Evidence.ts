/** All that was seen and kept, for the invariants to be checked against. */
import type { Disturbances } from "./Disturbances.ts"
import type { Journal } from "./Journal.ts"
import type { Lateness } from "./Lateness.ts"
import type { Holdings } from "./Leaks.ts"
import type { Arrival } from "./Providers.ts"
import type { Records, SubjectRecord } from "./Records.ts"
import type { WebhookReceiver } from "./WebhookReceiver.ts"

export interface Evidence {
  readonly records: Records
  readonly journal: Journal
  readonly arrivals: ReadonlyArray<Arrival>
  readonly webhooks: WebhookReceiver
  readonly disturbances: Disturbances
  readonly lateness: Lateness
  readonly warm: Holdings
  readonly settled: Holdings
  readonly leaseMillis: number
  /** The customer that floods. */
  readonly flooding: number
  /** How long each orderly stop took. */
  readonly stopMillis: ReadonlyArray<number>
  /** Disorder: a process that did not stop, a wait that ended without rest. */
  readonly problems: ReadonlyArray<string>
}

export interface Finding {
  readonly invariant: string
  /** The checked facts, in words. */
  readonly counted: string
  /** Its violations. */
  readonly broken: ReadonlyArray<string>
  /** Whether there was anything to check: a run without a flood shows nothing about floods. */
  readonly isCovered: boolean
}

export type Invariant = (evidence: Evidence) => Finding

export const groupBy = <A>(
  all: ReadonlyArray<A>,
  key: (each: A) => string
): ReadonlyMap<string, ReadonlyArray<A>> => Map.groupBy(all, key)

/** `verified 120, failed 4` */
export const tally = (names: ReadonlyArray<string>): string =>
  [...Map.groupBy(names, (name) => name)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, all]) => `${name} ${all.length}`)
    .join(", ")

/** The arrivals of each step: the one send to this phone over this channel. */
export const stepKey = (phone: string, channel: string): string => `${phone} over ${channel}`

export const describe = ({ kind, id, phone, status }: SubjectRecord): string =>
  `${kind} ${id} (${phone}, ${status})`
