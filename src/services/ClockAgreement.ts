import { Context } from "effect"

/** Whether this process's clock agrees with the store's. What is due, expires or counts by the hour goes by it. */
export interface Agreement {
  /** True from when the clocks were found apart until they are found to agree. */
  readonly isApart: () => boolean
  /** The same, and true at once when this process's clock jumps: to be asked before anything is done because it is due. */
  readonly mayBeApart: () => boolean
}

/** Where there is only one clock, it agrees. */
export const ClockAgreement = Context.Reference<Agreement>("peyk/services/ClockAgreement", {
  defaultValue: () => ({ isApart: () => false, mayBeApart: () => false })
})
