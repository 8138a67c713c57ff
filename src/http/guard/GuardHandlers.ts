import { Array as Arr, Effect, Order } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Page, type PageRequest, toPage } from "../../domain/Paging.ts"
import type { EntryType, GuardList } from "../../domain/guard/GuardSettings.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { toWireAlarm, toWireEntry, toWireGuard, toWireSettings } from "./GuardSchemas.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import {
  answerResource,
  nestedPageRequest,
  pageRequest,
  toNestedWirePage,
  toWirePage
} from "../wire/ManageWire.ts"
import {
  addGuardEntry,
  changeGuard,
  clearAlarm,
  removeGuardEntry,
  replaceGuard
} from "../../services/guard/GuardActions.ts"
import { GuardRecords, type StoredEntry } from "../../services/guard/GuardRecords.ts"

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

const listOf = ({ list }: { readonly list: GuardList }) => list

export const GuardHandlers = HttpApiBuilder.group(
  Api,
  "guard",
  Effect.fnUntraced(function* (handlers) {
    const guard = yield* GuardRecords
    const handler = yield* makeActionHandler<GuardRecords>()
    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const { actor } = yield* CurrentActor
        const { customerId } = actor
        const saved = yield* guard.settings(customerId)
        return answerResource(
          toWireGuard(saved, yield* guard.state(customerId), yield* guard.days(customerId))
        )
      }),

      alarms: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const page = yield* guard.alarms(actor.customerId, pageRequest("guard_alarms", query))
        return toWirePage("guard_alarms", page, toWireAlarm)
      }),

      entries: Effect.fnUntraced(function* ({ params: { list }, query }) {
        const { actor } = yield* CurrentActor
        const request = yield* nestedPageRequest("guard_entries", list, query)
        const page = pageOfEntries(yield* guard.entries(actor.customerId, list), request)
        return toNestedWirePage("guard_entries", list, page, toWireEntry)
      }, orEnvelope),

      replace: handler(replaceGuard, { status: 200, body: toWireSettings }),
      update: handler(changeGuard, { status: 200, body: toWireSettings }),
      clear: handler(clearAlarm, {
        status: 200,
        target: (params: { readonly alarm_id: string }) => params.alarm_id,
        body: toWireAlarm
      }),
      add: handler(addGuardEntry, { status: 201, target: listOf, body: toWireEntry, isOnce: true }),
      remove: handler(removeGuardEntry, {
        status: 204,
        target: listOf,
        input: ({
          type,
          value
        }: {
          readonly list: GuardList
          readonly type: EntryType
          readonly value: string
        }) => ({ type, value })
      })
    })
  })
)
