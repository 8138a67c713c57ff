import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { defaultGuard, type GuardSettings } from "../../../domain/guard/GuardSettings.ts"
import { GuardRecords } from "../../../services/resources/activity/GuardRecords.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../Envelope.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import type { GuardChangeBody } from "./GuardApi.ts"
import { toWireAlarm, toWireEntry, toWireGuard, toWireSettings } from "./GuardSchemas.ts"
import { answerResource, expectedVersion, makeWrite, pageRequest, toWirePage } from "../wire/ManageWire.ts"

const entry = auditEntriesOf("guard")

const changeOf = (body: typeof GuardChangeBody.Type): Partial<GuardSettings> => ({
  ...(body.mode === undefined ? {} : { mode: body.mode }),
  ...(body.unverified_hour === undefined ? {} : { unverifiedHour: body.unverified_hour }),
  ...(body.sms_price === undefined ? {} : { smsPrice: body.sms_price })
})

export const GuardHandlers = HttpApiBuilder.group(
  Api,
  "guard",
  Effect.fnUntraced(function* (handlers) {
    const guard = yield* GuardRecords
    const write = yield* makeWrite

    const save = (operation: string, change: Partial<GuardSettings>) =>
      write(
        { operation, status: 200 },
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const saved = yield* guard.save(actor.customerId, change, yield* expectedVersion)
          return { body: toWireSettings(saved), audit: entry("save", actor.customerId, change) }
        })
      ).pipe(orEnvelope)

    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const { actor } = yield* CurrentActor
        const { customerId } = actor
        const saved = yield* guard.settings(customerId)
        return answerResource(
          toWireGuard(saved, yield* guard.state(customerId), yield* guard.days(customerId))
        )
      }),

      replace: ({ payload }) => save("guard.replace", { ...defaultGuard, ...changeOf(payload) }),

      update: ({ payload }) => save("guard.update", changeOf(payload)),

      alarms: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const page = yield* guard.alarms(actor.customerId, pageRequest("guard_alarms", query))
        return toWirePage("guard_alarms", page, toWireAlarm)
      }),

      clear: ({ params }) =>
        write(
          { operation: "guard.clear", status: 200 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const alarm = yield* guard.clear(actor.customerId, params.alarm_id)
            return { body: toWireAlarm(alarm), audit: entry("clear", alarm.id, { reason: alarm.reason }) }
          })
        ).pipe(orEnvelope),

      entries: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        return { data: (yield* guard.entries(actor.customerId, params.list)).map(toWireEntry) }
      }),

      // The audit log names no phone.
      add: ({ params, payload }) =>
        write(
          { operation: "guard.add", status: 201 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const added = yield* guard.add(actor.customerId, params.list, payload)
            return {
              body: toWireEntry(added),
              audit: entry("add", actor.customerId, { list: params.list, type: payload.type })
            }
          })
        ).pipe(orEnvelope),

      remove: ({ params: { list, type, value } }) =>
        write(
          { operation: "guard.remove", status: 204 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            yield* guard.remove(actor.customerId, list, { type, value })
            return { body: null, audit: entry("remove", actor.customerId, { list, type }) }
          })
        ).pipe(orEnvelope)
    })
  })
)
