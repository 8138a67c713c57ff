import { Array as Arr, Effect, Order, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import { type Page, type PageRequest, toPage } from "../../domain/Paging.ts"
import { adviceOf, AlarmReason, type GuardDay, type ShownAlarm, totalsOf } from "../../domain/guard/Alarm.ts"
import { EntryType, GuardList, GuardMode } from "../../domain/guard/GuardSettings.ts"
import { SegmentKind } from "../../domain/guard/Segments.ts"
import { GuardAction } from "../../domain/guard/Verdict.ts"
import { OptionalIdempotencyKey, RequireJson } from "../RequestGuards.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { undeclaredBodyErrors } from "./UndeclaredInput.ts"
import {
  addGuardEntry,
  changeGuard,
  clearAlarm,
  EntryBody,
  GuardBody,
  GuardChangeBody,
  removeGuardEntry,
  replaceGuard
} from "../../services/guard/GuardActions.ts"
import {
  GuardRecords,
  type GuardState,
  type SavedGuard,
  type StoredEntry
} from "../../services/guard/GuardRecords.ts"
import {
  changed,
  conflict,
  handlersOf,
  invalid,
  keyErrors,
  listingAt,
  manageGroup,
  notFound,
  summary
} from "./Endpoints.ts"
import { respondWithResource, handler, listed } from "./Handlers.ts"
import { nestedPageRequest, pageOf, pageQuery, toNestedWirePage } from "./ManageWire.ts"

const AlarmResource = Schema.Struct({
  alarm_id: Schema.String,
  segment: Schema.Struct({
    kind: SegmentKind,
    key: Schema.String.annotateKey({
      description:
        "A number without its last four digits, a keyed hash of a network or device, a masked phone; empty: all codes."
    })
  }),
  reason: AlarmReason,
  level: Schema.Int.annotateKey({
    description:
      "For the reason unverified it grows with each alarm of the segment: level 1 lasts 5 minutes, each level twice as long, up to 12 hours. For other reasons it is 1."
  }),
  action: Schema.NullOr(GuardAction),
  enforced: Schema.Boolean.annotateKey({ description: "False: it was recorded only." }),
  codes: Schema.Int.annotateKey({ description: "The codes that raised it, and how many were verified." }),
  verified: Schema.Int,
  started_at: Timestamp,
  until: Timestamp,
  cleared_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "GuardAlarm" })

export const toWireAlarm = (alarm: ShownAlarm): typeof AlarmResource.Type => ({
  alarm_id: alarm.id,
  segment: { kind: alarm.kind, key: alarm.key },
  reason: alarm.reason,
  level: alarm.level,
  action: alarm.action,
  enforced: alarm.enforced,
  codes: alarm.codes,
  verified: alarm.verified,
  started_at: formatInstant(alarm.startedAt),
  until: formatInstant(alarm.until),
  cleared_at: formatNullableInstant(alarm.clearedAt)
})

const settingsFields = {
  mode: GuardMode,
  unverified_hour: Schema.NullOr(Schema.Int),
  sms_price: Schema.NullOr(Schema.Int),
  version: Schema.Int
}

const GuardSettingsResource = Schema.Struct(settingsFields).annotate({ identifier: "GuardSettings" })

const GuardResource = Schema.Struct({
  ...settingsFields,
  enforcing_advised: Schema.Boolean.annotateKey({
    description: "Seven clean days or more, with 3000 verified codes or more: enforcing would refuse no user."
  }),
  clean_days: Schema.Int.annotateKey({
    description: "Days in a row, up to now, without a verified code that enforcing would have refused."
  }),
  clean_verified: Schema.Int,
  maturity_seconds: Schema.NullOr(Schema.Int).annotateKey({
    description: "A code counts as unverified so long after it was sent; null before the first was judged."
  }),
  expected_conversion: Schema.NullOr(Schema.Number),
  outage: Schema.NullOr(Schema.Struct({ channel: Schema.String, since: Timestamp })).annotateKey({
    description: "A channel that fails for everybody at once. Nobody is blocked meanwhile."
  }),
  alarms: Schema.Array(AlarmResource).annotateKey({ description: "The open ones." }),
  last_30_days: Schema.Struct({
    days: Schema.Int,
    codes: Schema.Int,
    verified: Schema.Int,
    refused: Schema.Int,
    denied: Schema.Int.annotateKey({ description: "Refused by your deny list." }),
    would_refuse: Schema.Int.annotateKey({
      description: "Sent, though enforcing would have refused them or left SMS out."
    }),
    would_refuse_verified: Schema.Int,
    would_save_sms: Schema.Int,
    would_save_messenger_rials: Schema.Int.annotateKey({ description: "What messengers cost." }),
    would_save_rials: Schema.NullOr(Schema.Int).annotateKey({
      description: "SMS and messengers; null without `sms_price`."
    })
  })
}).annotate({ identifier: "Guard" })

const EntryResource = Schema.Struct({
  type: EntryType,
  value: Schema.String,
  created_at: Timestamp
}).annotate({ identifier: "GuardEntry" })

export const toWireSettings = (saved: SavedGuard): typeof GuardSettingsResource.Type => ({
  mode: saved.mode,
  unverified_hour: saved.unverifiedHour,
  sms_price: saved.smsPrice,
  version: saved.version
})

const toWireEntry = ({ type, value, createdAt }: StoredEntry): typeof EntryResource.Type => ({
  type,
  value,
  created_at: formatInstant(createdAt)
})

const toWireTotals = (days: ReadonlyArray<GuardDay>, smsPrice: number | null) => {
  const totals = totalsOf(days)
  return {
    days: days.length,
    codes: totals.codes,
    verified: totals.verified,
    refused: totals.refused,
    denied: totals.denied,
    would_refuse: totals.flagged,
    would_refuse_verified: totals.flaggedVerified,
    would_save_sms: totals.flaggedSms,
    would_save_messenger_rials: totals.flaggedCharges,
    would_save_rials: smsPrice === null ? null : totals.flaggedSms * smsPrice + totals.flaggedCharges
  }
}

export const toWireGuard = (
  saved: SavedGuard,
  { outage, judgingDelayMillis, conversion, openAlarms }: GuardState,
  days: ReadonlyArray<GuardDay>
): typeof GuardResource.Type => {
  const { isAdvised, cleanDays, cleanVerified } = adviceOf(days)
  return {
    ...toWireSettings(saved),
    enforcing_advised: isAdvised,
    clean_days: cleanDays,
    clean_verified: cleanVerified,
    maturity_seconds: judgingDelayMillis === null ? null : Math.round(judgingDelayMillis / 1000),
    expected_conversion: conversion === null ? null : Math.round(conversion * 1000) / 1000,
    outage: outage === null ? null : { channel: outage.channel, since: formatInstant(outage.since) },
    alarms: openAlarms.map(toWireAlarm),
    last_30_days: toWireTotals(days, saved.smsPrice)
  }
}

const list = { list: GuardList }

export class GuardGroup extends manageGroup(
  "guard",
  "/v1/manage/guard",
  { title: "Management: guard" },
  HttpApiEndpoint.get("read", "/", { success: GuardResource }).annotateMerge(
    summary("Read the guard: settings, state, open alarms, and what it refused or would have")
  ),
  HttpApiEndpoint.put("replace", "/", { payload: GuardBody, success: GuardSettingsResource, error: changed })
    .annotateMerge(summary("Save the guard's settings; absent ones become the defaults"))
    .middleware(RequireJson),
  HttpApiEndpoint.patch("update", "/", {
    payload: GuardChangeBody,
    success: GuardSettingsResource,
    error: changed
  })
    .annotateMerge(summary("Change some of the guard's settings"))
    .middleware(RequireJson),
  listingAt("alarms", "/alarms", AlarmResource, "List alarms, the newest first", pageQuery("guard_alarms")),
  HttpApiEndpoint.post("clear", "/alarms/:alarm_id/clear", {
    params: { alarm_id: Schema.String },
    success: AlarmResource,
    error: [...undeclaredBodyErrors, notFound]
  }).annotateMerge(summary("End an alarm, and forget what raised it")),
  HttpApiEndpoint.get("entries", "/:list", {
    params: list,
    query: pageQuery("guard_entries"),
    success: pageOf(EntryResource),
    error: invalid
  }).annotateMerge(summary("List the entries of the allow list or the deny list")),
  HttpApiEndpoint.post("add", "/:list", {
    params: list,
    payload: EntryBody,
    success: EntryResource.pipe(HttpApiSchema.status(201)),
    error: [invalid, conflict, ...keyErrors]
  })
    .annotateMerge(summary("Add a phone, a prefix or a network to a list"))
    .middleware(RequireJson)
    .middleware(OptionalIdempotencyKey),
  HttpApiEndpoint.delete("remove", "/:list/:type/:value", {
    params: { ...list, type: EntryType, value: Schema.String },
    success: HttpApiSchema.Empty(204),
    error: [...undeclaredBodyErrors, notFound]
  }).annotateMerge(summary("Remove an entry from a list"))
) {}

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

type RemovedEntry = { readonly type: EntryType; readonly value: string }

export const GuardHandlers = handlersOf(GuardGroup, (handlers) =>
  handlers.handleAll({
    read: Effect.fnUntraced(function* () {
      const { customerId } = (yield* CurrentActor).actor
      const guard = yield* GuardRecords
      const saved = yield* guard.settings(customerId)
      return respondWithResource(
        toWireGuard(saved, yield* guard.state(customerId), yield* guard.days(customerId))
      )
    }),
    alarms: listed(
      "guard_alarms",
      (customerId, page) => GuardRecords.use((guard) => guard.alarms(customerId, page)),
      toWireAlarm
    ),

    entries: Effect.fnUntraced(function* ({ params: { list }, query }) {
      const { actor } = yield* CurrentActor
      const request = yield* nestedPageRequest("guard_entries", list, query)
      const page = pageOfEntries(yield* (yield* GuardRecords).entries(actor.customerId, list), request)
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
      input: ({ type, value }: { readonly list: GuardList } & RemovedEntry) => ({ type, value })
    })
  })
)
