import { Context, type Effect, type Option } from "effect"
import type { AlertCondition, AlertMeans, AlertRecord } from "../../domain/alert/Alert.ts"
import type { Sighting, SubjectState } from "../../domain/alert/AlertPace.ts"
import type { AccountCredit, ExpiringSecret, WatchedWebhook } from "../../domain/alert/AlertRules.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import type { Locale } from "../../domain/verification/CodeText.ts"

/** What is stored of one thing that alerts are about. */
interface StoredSubject extends SubjectState {
  readonly kind: string
  readonly subject: Pick<AlertCondition["subject"], "type" | "id">
}

/** An alert that is due for one recipient, with everything that sending it needs. */
export interface DueAlert {
  readonly alert: Pick<AlertRecord, "id" | "kind" | "subject" | "counts" | "heldBack" | "raisedAt">
  readonly means: AlertMeans
  /** Null: the recipient was removed, or can no longer sign in. */
  readonly address: string | null
  readonly locale: Locale
  /** The customer's name; null: the installation itself. */
  readonly sender: string | null
  readonly tries: number
  readonly firstDueAt: Instant
}

/** What became of a try. `next`: when it is tried again. */
export type AlertTry =
  | { readonly status: "sent"; readonly messageId: string | null }
  | { readonly status: "failed"; readonly error: string; readonly next: Instant | null }

/** Figures of a customer that only alerts need; of the installation, for customer 0. */
interface AlertFacts {
  readonly webhooks: ReadonlyArray<WatchedWebhook>
  /** Keys and tokens that expire within a week. */
  readonly expiring: ReadonlyArray<ExpiringSecret>
  /** Of the active accounts that report a credit: what was left, over the last week. */
  readonly credits: ReadonlyArray<AccountCredit>
  /** Only of the installation: the customers with an open alarm of the guard. */
  readonly alarmed: number
}

/** Alerts of all customers, for the timers that raise and send them. */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /** The customers that have somebody to alert; 0 is the installation. */
    readonly watched: Effect.Effect<ReadonlyArray<number>>
    readonly isWatched: (customerId: number) => Effect.Effect<boolean>
    /** Makes the timers of these customers that have none. The store has the rows of all of them together. */
    readonly scheduleWatches: (customerIds: ReadonlyArray<number>, now: Instant) => Effect.Effect<void>
    readonly facts: (customerId: number, now: Instant) => Effect.Effect<AlertFacts>
    readonly subjects: (customerId: number) => Effect.Effect<ReadonlyArray<StoredSubject>>
    /**
     * Notes a sighting. If an alert is due, it is stored with its deliveries and events, in one transaction; it returns
     * when the first of them is due; null: there is no alert.
     */
    readonly sight: (
      customerId: number,
      condition: AlertCondition,
      sighting: Sighting,
      now: Instant
    ) => Effect.Effect<Instant | null>
    /** A round no longer finds these. */
    readonly close: (
      customerId: number,
      subjects: ReadonlyArray<StoredSubject>,
      now: Instant
    ) => Effect.Effect<void>
    /** None: nothing is left to send. */
    readonly due: (timer: LeasedTimer) => Effect.Effect<Option.Option<DueAlert>>
    /** Records a try for the delivery and its timer, while the timer is leased. Else it records nothing. */
    readonly record: (timer: LeasedTimer, made: AlertTry, now: Instant) => Effect.Effect<void>
    /** Its recipient is gone: nothing is sent. */
    readonly drop: (timer: LeasedTimer, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/alert/AlertStore") {}
