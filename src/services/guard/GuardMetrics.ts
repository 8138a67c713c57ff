import { Context, Effect, Layer } from "effect"
import { counters } from "../system/Observability.ts"

const reasons = ["alarm", "budget", "no_sms", "bombed", "deny_list"] as const
const alarmReasons = ["unverified", "budget", "bombed", "outage"] as const

/** The guard's metrics, for operators. */
export class GuardMetrics extends Context.Service<
  GuardMetrics,
  {
    /** Enforcing refused a code, or sent it without SMS. */
    readonly refused: (reason: (typeof reasons)[number]) => void
    /** Record only: enforcing would have done this. */
    readonly flagged: (action: "no_sms" | "refuse") => void
    readonly alarmed: (reason: (typeof alarmReasons)[number]) => void
    readonly judged: (codes: number) => void
  }
>()("peyk/services/guard/GuardMetrics") {
  static readonly layer = Layer.effect(
    GuardMetrics,
    Effect.map(Effect.context<never>(), (context) => {
      const refused = counters(context, "peyk_guard_refusals_total", {
        description: "Codes that the guard refused, or sent without SMS, by reason.",
        labels: ["reason"]
      })
      const flagged = counters(context, "peyk_guard_flagged_total", {
        description:
          "Codes that were sent, and that the guard would refuse or send without SMS if it enforced.",
        labels: ["action"]
      })
      const alarms = counters(context, "peyk_guard_alarms_total", {
        description: "Alarms of the guard, by reason.",
        labels: ["reason"]
      })
      const judged = counters(context, "peyk_guard_judged_total", {
        description: "Codes whose outcome the guard has counted."
      })()
      for (const reason of reasons) refused(reason)(0)
      for (const reason of alarmReasons) alarms(reason)(0)
      // In an attack nearly every code counts here.
      const countFlagged = { no_sms: flagged("no_sms"), refuse: flagged("refuse") }
      countFlagged.no_sms(0)
      countFlagged.refuse(0)
      judged(0)
      return GuardMetrics.of({
        refused: (reason) => refused(reason)(1),
        flagged: (action) => countFlagged[action](1),
        alarmed: (reason) => alarms(reason)(1),
        judged
      })
    })
  )
}
