import { Effect, Schema } from "effect"
import type { RunEvent } from "../../../../services/resources/activity/RunHistories.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import { Webhooks } from "../../../../services/resources/Webhooks.ts"
import { Timers } from "../../../../services/timer/Timers.ts"
import { seeOther } from "../../frame/Answers.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { writeOnce } from "../../frame/forms/Writes.ts"
import { withNotice } from "../../parts/Notice.ts"

const webhookEntry = auditEntriesOf("webhook")

/** Delivers an event again; an endpoint that is off or gone gets nothing. */
const replayOne = (view: View, endpointId: number, eventId: string) =>
  writeOnce(
    view,
    `webhook.replay:${endpointId}:${eventId}`,
    Schema.Int,
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const delivery = yield* webhooks.replay(view.actor.customerId, endpointId, eventId)
      return { result: 1, audit: webhookEntry("replay", endpointId, { event_id: delivery.eventId }) }
    })
  ).pipe(Effect.catchTag(["not_found", "conflict"], () => Effect.succeed(0)))

/** Delivers the events of a send again, to each endpoint that they were for. */
export const replayEvents = Effect.fnUntraced(function* (
  view: View,
  events: ReadonlyArray<RunEvent>,
  path: string
) {
  const timers = yield* Timers
  const counts = yield* Effect.forEach(
    events.flatMap(({ id, deliveries }) => deliveries.map(({ endpointId }) => [endpointId, id] as const)),
    ([endpointId, eventId]) => replayOne(view, endpointId, eventId)
  )
  timers.wakeAt(0)
  return seeOther(withNotice(path, counts.includes(1) ? "replayed" : "nothing_to_replay"))
})
