import { Effect } from "effect"
import { pathOf } from "../Navigation.ts"
import { RequestLog, RequestRecords } from "../../../services/activity/RequestLog.ts"

/** The log has no whole phone: whose requests were all refused is found by the digits that its mask shows. */
export const refusedFor = Effect.fnUntraced(function* (customerId: number, lastFour: string, limit: number) {
  yield* (yield* RequestLog).flush
  return yield* (yield* RequestRecords).list(customerId, {
    phoneEnd: lastFour,
    statuses: [400, 498],
    mode: "live",
    limit,
    after: null
  })
})

export const refusedPath = (lastFour: string): string =>
  `${pathOf("requests")}?q=${lastFour}&outcome=refused&mode=live`
