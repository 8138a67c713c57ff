import { Array as Arr, Effect, Order } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { defaultGuard, type GuardSettings } from "../../../domain/guard/GuardSettings.ts"
import { type Page, type PageRequest, toPage } from "../../../domain/Paging.ts"
import { GuardRecords, type StoredEntry } from "../../../services/resources/activity/GuardRecords.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import type { GuardChangeBody } from "./GuardApi.ts"
import { toWireAlarm, toWireChange, toWireEntry, toWireGuard, toWireSettings } from "./GuardSchemas.ts"
import {
  answerResource,
  expectedVersion,
  makeWrite,
  nestedPageRequest,
  pageRequest,
  toNestedWirePage,
  toWirePage
} from "../wire/ManageWire.ts"

const entry = auditEntriesOf("guard")

const changeOf = (body: typeof GuardChangeBody.Type): Partial<GuardSettings> => ({
  ...(body.mode === undefined ? {} : { mode: body.mode }),
  ...(body.unverified_hour === undefined ? {} : { unverifiedHour: body.unverified_hour }),
  ...(body.sms_price === undefined ? {} : { smsPrice: body.sms_price })
})

const positionOf = ({ type, value }: StoredEntry): string => `${type}/${value}`

/** A customer has few entries: all of them are read for each page. */
const pageOfEntries = (
  entries: ReadonlyArray<StoredEntry>,
  { limit, after }: PageRequest
): Page<StoredEntry> => {
  const sorted = Arr.sortWith(entries, positionOf, Order.String)
  return toPage(
    after === null ? sorted : sorted.filter((entry) => positionOf(entry) > after),
    limit,
    positionOf
  )
}

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
          return { body: toWireSettings(saved), audit: entry("save", actor.customerId, toWireChange(change)) }
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

      entries: Effect.fnUntraced(function* ({ params: { list }, query }) {
        const { actor } = yield* CurrentActor
        const request = yield* nestedPageRequest("guard_entries", list, query)
        const page = pageOfEntries(yield* guard.entries(actor.customerId, list), request)
        return toNestedWirePage("guard_entries", list, page, toWireEntry)
      }, orEnvelope),

      // The audit log names no phone.
      add: ({ params, payload }) =>
        write(
          { operation: "guard.add", status: 201, idempotentBody: { ...params, ...payload } },
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
