import { Context } from "effect"

/** Whether this process's clock agrees with the store's. Due times, expiry and hourly limits depend on it. */
interface Agreement {
  /** True from when the clocks are found to differ until they agree again. */
  readonly isApart: () => boolean
  /** Also true at once when this process's clock jumps. Ask this before doing due work. */
  readonly mayBeApart: () => boolean
}

/** With only one clock, it agrees. */
export const ClockAgreement = Context.Reference<Agreement>("peyk/services/ClockAgreement", {
  defaultValue: () => ({ isApart: () => false, mayBeApart: () => false })
})
