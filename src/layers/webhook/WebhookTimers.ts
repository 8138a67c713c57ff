import type { TimerKind } from "../../domain/Timer.ts"

/** The subject of such a timer is the event, its lane the endpoint's. */
export const WEBHOOK_TIMER: TimerKind = "webhook"
