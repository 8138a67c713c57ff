import type { Alarm } from "../../../domain/guard/Alarm.ts"
import type { Outage } from "../../../domain/guard/round/Outage.ts"
import { CUSTOMER_SEGMENT } from "../../../domain/guard/Segments.ts"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../../domain/Instant.ts"
import { maskPhone } from "../../../domain/Phone.ts"
import type { OpenStoredAlarm, ReadCode } from "../GuardStore.ts"

/** Older codes are not judged any more: the process was down. */
export const MAX_AGE_MILLIS = 2 * HOUR_MILLIS

const BOMBED_MILLIS = 10 * MINUTE_MILLIS

/** Alarms that do not come from the test: phones under a bomb, and a channel that is out. */
export const furtherAlarms = (
  codes: ReadonlyArray<ReadCode>,
  outage: Outage | null,
  open: ReadonlyArray<OpenStoredAlarm>,
  now: Instant
): ReadonlyArray<Alarm> => {
  const bombed = new Set(codes.filter(({ isBombed }) => isBombed).map(({ phone }) => maskPhone(phone)))
  for (const { reason, key } of open) if (reason === "bombed") bombed.delete(key)
  const common = { level: 1, startedAt: now, codes: 0, verified: 0 }
  const alarms = [...bombed].map((key): Alarm => ({
    ...common,
    kind: "phone",
    key,
    reason: "bombed",
    action: "refuse",
    until: now + BOMBED_MILLIS
  }))
  if (outage === null || open.some(({ reason }) => reason === "outage")) return alarms
  const until = now + MAX_AGE_MILLIS
  return [...alarms, { ...common, ...CUSTOMER_SEGMENT, reason: "outage", action: null, until }]
}
