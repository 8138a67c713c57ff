import { Context } from "effect"

/** The numbers of the decisions that an operator can change. */
export interface SettingsShape {
  /** Digits of a code, 4–10. */
  readonly codeLength: number
  /** Wrong codes before a verification locks, 1–10. */
  readonly maxWrongCodes: number
  readonly providerTimeoutMillis: number
  /** A leased step is taken over this long after its process stopped renewing it. */
  readonly leaseMillis: number
  readonly idempotencyMillis: number
  /** How long a message waits, past its time, for an account that may send. */
  readonly messagePatienceMillis: number
  /** How long a stopping process waits for what it has begun. */
  readonly graceMillis: number
  /** Timers a process works on at once. */
  readonly timerConcurrency: number
}

export const defaultSettings: SettingsShape = {
  codeLength: 6,
  maxWrongCodes: 5,
  providerTimeoutMillis: 10_000,
  leaseMillis: 30_000,
  idempotencyMillis: 24 * 3_600_000,
  messagePatienceMillis: 15 * 60_000,
  graceMillis: 15_000,
  timerConcurrency: 64
}

export const settingNames = [
  "codeLength",
  "maxWrongCodes",
  "providerTimeoutMillis",
  "leaseMillis",
  "idempotencyMillis",
  "messagePatienceMillis",
  "graceMillis",
  "timerConcurrency"
] as const satisfies ReadonlyArray<keyof SettingsShape>

export const Settings = Context.Reference<SettingsShape>("peyk/services/Settings", {
  defaultValue: () => defaultSettings
})
