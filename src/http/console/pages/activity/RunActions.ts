import { Effect } from "effect"
import { performOnce } from "../../../../services/Action.ts"
import type { RunEvent } from "../../../../services/activity/RunHistories.ts"
import { replayEvent } from "../../../../services/webhook/WebhookActions.ts"
import { seeOther } from "../../frame/Answers.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { withNotice } from "../../parts/Notice.ts"

/** Delivers an event again; an endpoint that is off or gone gets nothing. One form has a key for each. */
const replayOne = ({ actor, origin, sent }: View, endpointId: number, eventId: string) =>
  performOnce(
    replayEvent,
    { actor, origin, target: { id: endpointId, event_id: eventId }, input: {}, version: null },
    {
      status: 200,
      idempotency: sent === undefined ? undefined : { ...sent, key: `${sent.key}:${endpointId}:${eventId}` },
      encode: () => Effect.succeed(null)
    }
  ).pipe(
    Effect.as(true),
    Effect.catchTag(["not_found", "conflict"], () => Effect.succeed(false))
  )

/** Delivers the events of a send again, to each endpoint that they were for. */
export const replayEvents = Effect.fnUntraced(function* (
  view: View,
  events: ReadonlyArray<RunEvent>,
  path: string
) {
  const replayed = yield* Effect.forEach(
    events.flatMap(({ id, deliveries }) => deliveries.map(({ endpointId }) => [endpointId, id] as const)),
    ([endpointId, eventId]) => replayOne(view, endpointId, eventId)
  )
  return seeOther(withNotice(path, replayed.includes(true) ? "replayed" : "nothing_to_replay"))
})
