/** An example of each response and event, made from its schema, with values that fit one another. */
import { type ApiDocument, type JsonSchema, type OperationError } from "./ApiDocument.ts"
import {
  choicesIn,
  exampleOf,
  type FieldView,
  fieldsOf,
  isNullable,
  mainChoice,
  schemaName,
  valuesOf
} from "./Schemas.ts"

const ID = "0195f7a0-2c1b-7d3e-8a51-6f0c2b9d4e17"
const CREATED = "2026-03-14T09:00:00.000Z"
const SENT = "2026-03-14T09:00:01.204Z"
const LATER = "2026-03-14T09:05:00.000Z"

/** By the name of a field, whatever object it is in. */
const byName: Readonly<Record<string, unknown>> = {
  id: 7,
  verification_id: ID,
  message_id: ID,
  request_id: "0195f7a0-31c4-7f20-9d1b-4e0a6c8b2f55",
  event_id: "0195f7a0-4a77-7c11-8e3f-1d2c3b4a5968",
  alarm_id: "0195f7a0-5b88-7d22-9f40-2e3d4c5b6a79",
  alert_id: "0195f7a0-6c99-7e33-8a51-3f4e5d6c7b8a",
  recipient_id: 7,
  user_id: "0195f7a0-7d10-7f44-9b62-4a5f6e7d8c9b",
  invited_by: "0195f7a0-7d10-7f44-9b62-4a5f6e7d8c9b",
  address: "oncall@example.com",
  raised_at: CREATED,
  held_back: 0,
  counts: { hours: 20 },
  phone: "+989121234567",
  to: "+989121234567",
  status: "queued",
  channel: "bale",
  provider: "bale",
  credential_id: 2,
  account_id: 2,
  template_id: 3,
  label: "Bale, shop",
  name: "backend",
  brand: "My shop",
  email: "sara@example.com",
  prefix: "svc_live_",
  last_four: "x7Qa",
  url: "https://example.com/hooks/peyk",
  description: "Orders",
  webotp_host: "shop.example.com",
  webotp_origins: ["https://shop.example.com", "https://club.example.com"],
  app_hash: "FA+9qCX9VSu",
  body: "سلام {{name}}، سفارش شما ارسال شد.",
  text: "سفارش شما ارسال شد.",
  value: "0912345",
  key: "+98912345",
  path: "/inbound/bale/9f2c…",
  detail: "@shop_bot",
  user_agent: "Mozilla/5.0",
  saved_by: "Sara",
  ip: "203.0.113.9",
  chat_id: "1001",
  subject: ID,
  metadata: { order: "1843" },
  details: {},
  errors: { recipient_unreachable: 3 },
  parameters: null,
  created_at: CREATED,
  occurred_at: CREATED,
  linked_at: CREATED,
  started_at: CREATED,
  since: CREATED,
  from: CREATED,
  due_at: CREATED,
  at: SENT,
  saved_at: SENT,
  dispatched_at: SENT,
  attempted_at: SENT,
  last_used_at: SENT,
  timestamp: SENT,
  expires_at: LATER,
  until: LATER,
  resets_at: "2026-04-01T00:00:00.000Z",
  day: "2026-03-14",
  // what did not happen
  verified_at: null,
  finished_at: null,
  completed_at: null,
  revoked_at: null,
  disabled_at: null,
  cleared_at: null,
  cooling_until: null,
  failing_since: null,
  last_error: null,
  next_cursor: null,
  next_since: null,
  next_try_at: null,
  scheduled_for: null,
  transition_reason: null,
  error: null,
  error_code: null,
  error_message: null,
  provider_error: null,
  problem: null,
  template: null,
  outage: null,
  provider_message_id: "84471",
  // as a send without any of them would have it
  standby: [],
  placeholders: ["name"],
  allowed_ips: ["203.0.113.0/24"],
  events: ["*"],
  version: 1,
  sequence: 1,
  index: 0,
  wait: 45,
  expires_in: 300,
  code_length: 6,
  remaining_seconds: 45,
  balance: 500_000,
  held: 1000,
  available: 499_000,
  amount: 1000,
  cost: 1000,
  used: 41,
  limit: 300,
  key_minute: 300,
  phone_hour: 5,
  phone_day: 10,
  message_phone_hour: 30,
  message_phone_day: 100,
  platform_phone_day: 50,
  sms_price: 1200,
  rate_limit_per_minute: 600,
  gap_ms: 1100,
  per_minute: 54,
  failures: 0,
  failed_attempts: 0,
  unknown_attempts: 0,
  duration_ms: 84,
  codes_24h: 2,
  verified_rate: 0.75,
  conversion: 0.91,
  expected_conversion: 0.9,
  median_seconds: 14,
  p95_seconds: 48,
  accepted: 120,
  codes: 120,
  verified: 109,
  sent: 131,
  failed: 3,
  delivered: 96,
  undelivered: 2,
  messages: 2,
  verifications: 5,
  contacts: 1,
  would_save_rials: 144_000
}

/** Values for where those do not fit the schema. */
const otherwise: Readonly<Record<string, unknown>> = { status: "sent" }

/** Fields whose values fit another field of the same object, by the name of its schema. */
const bySchema: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  OtpVerifyResponse: { verified: true, reason: "ok" },
  OtpPreview: { would_refuse: null },
  OtpPreviewedStep: { price: 1000, reason: null, free_at: null },
  OtpPreviewedText: { text: "کد تأیید شما: ۱۲۳۴۵۶", sms_parts: null, problem: null },
  OtpUsedLimit: { limit: 5, used: 1, resets_at: LATER },
  CreatedApiKey: { secret: "svc_live_…", expires_at: null, last_used_at: null },
  ApiKey: { expires_at: null },
  CreatedPersonalAccessToken: {
    secret: "svc_pat_…",
    prefix: "svc_pat_",
    name: "reports",
    last_used_at: null
  },
  PersonalAccessToken: { prefix: "svc_pat_", name: "reports" },
  CreatedWebhook: { secret: "whsec_…" },
  SignedIn: { access_token: "eyJhbGciOi…", refresh_token: "REFRESH_TOKEN", expires_in: 900 },
  Account: { provider: "bale_bot" },
  ConnectedAccount: { provider: "bale_bot" },
  Template: { name: "order" },
  User: { name: "Sara", role: "developer", status: "active", invited_by: "3" },
  Me: { kind: "user", name: "Sara", customer_id: 1 },
  AuditRecord: {
    actor: { kind: "user", id: "12", name: "Sara" },
    action: "api_key.create",
    subject: { type: "api_key", id: "7", name: "backend" }
  },
  LedgerEntry: { kind: "capture", amount: -1000, balance: 499_000 },
  Statement: {
    month: "2026-11",
    opening: 5_000_000,
    top_ups: 1_000_000,
    captures: { bale: 412_000, eitaa: 96_000 },
    closing: 5_492_000
  },
  Budget: { amount: 5_000_000, calendar: "jalali", month: "1405-09", spent: 412_000 },
  ChargedSubject: { id: ID },
  Usage: { to: "2026-03-15T00:00:00.000Z", group_by: "day,channel" },
  WebhookDelivery: { event_type: "verification.verified", status: "delivered", finished_at: SENT },
  WebhookReplayed: { replayed: 12 },
  GuardAlarm: { codes: 84, verified: 2, segment: { kind: "prefix", key: "+98912345" } },
  Guard: { clean_days: 9, clean_verified: 3702, maturity_seconds: 180 },
  JsonWebKeySet: {
    keys: [
      {
        kty: "OKP",
        crv: "Ed25519",
        kid: "1",
        use: "sig",
        alg: "EdDSA",
        x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
      }
    ]
  },
  MessageEvent: { type: "message.sent" },
  Alert: { text: "The key backend expires in 20 hours.", kind: "key_expiring" },
  AlertSettings: { quiet_hours: { from: "22:00", until: "08:00" } }
}

/** Fields that most bodies do not have. */
const ABSENT = new Set(["skip_reason", "measured_routing", "tries_left"])

const placeholderOf = (schema: JsonSchema): unknown => {
  const type = [schema.type ?? "string"].flat().find((each) => each !== "null")
  if (type === "integer" || type === "number") return Math.max(schema.minimum ?? 0, 1)
  if (type === "boolean") return true
  if (type === "object") return {}
  if (type === "array") return []
  return schema.format === "date-time" ? CREATED : "…"
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value)

const isOneOf = ({ type, enum: allowed }: JsonSchema, value: unknown): boolean => {
  const kinds = [type ?? []].flat().map((kind) => (kind === "integer" ? "number" : kind))
  return (kinds.length === 0 || kinds.includes(kindOf(value))) && (allowed?.includes(value) ?? true)
}

/** Whether a schema allows a value, as far as its type and its list of values say. */
const fits = (document: ApiDocument, schema: JsonSchema, value: unknown): boolean =>
  value === null
    ? isNullable(document, schema)
    : choicesIn(document, schema).some((choice) => isOneOf(choice, value))

const MAX_DEPTH = 6

const bodyOf = (document: ApiDocument, given: JsonSchema, depth: number): unknown => {
  const main = mainChoice(document, given)
  if (depth > MAX_DEPTH) return placeholderOf(main)
  if (main.items !== undefined) return [bodyOf(document, main.items, depth + 1)]
  if (main.properties === undefined)
    return exampleOf(document, given) ?? valuesOf(document, given)[0] ?? placeholderOf(main)
  const own = bySchema[schemaName(given) ?? ""] ?? {}
  return Object.fromEntries(
    fieldsOf(document, main)
      .filter(({ name }) => !ABSENT.has(name))
      .map(({ name, schema }) => [name, valueOf(document, { name, schema }, own, depth)])
  )
}

const valueOf = (
  document: ApiDocument,
  { name, schema }: Pick<FieldView, "name" | "schema">,
  own: Readonly<Record<string, unknown>>,
  depth: number
): unknown => {
  if (name in own) return own[name]
  // some ids are numbers, and some are texts
  const known = [byName[name], otherwise[name], String(byName[name])]
  const fitting = known.find(
    (value) => value !== undefined && value !== "undefined" && fits(document, schema, value)
  )
  return fitting === undefined ? bodyOf(document, schema, depth + 1) : fitting
}

/** A body that fits a schema. */
export const exampleBody = (document: ApiDocument, schema: JsonSchema): unknown => bodyOf(document, schema, 0)

/** The body of an error. */
export const errorBody = ({ code, message }: Pick<OperationError, "code" | "message">): unknown => ({
  error: { code, message, details: detailsOf[code] ?? {} },
  request_id: byName["request_id"]
})

/** What `details` has, where a program reads it. */
const detailsOf: Readonly<Record<string, unknown>> = {
  validation_error: { errors: [{ path: "body.phone", message: "required" }] },
  verification_ended: { status: "verified" },
  channel_ambiguous: { channel: "bale", account_ids: [2, 5] },
  channel_unavailable: { channel: "bale" },
  duplicate_channel: { channel: "bale" },
  invalid_channel: { channel: "bail" },
  sms_message_config_missing: { account_id: 4, settings: ["otp_template"] },
  channel_account_not_found: { account_id: 9 },
  channel_account_mismatch: { account_id: 2, channel: "sms" },
  template_not_found: { template_id: 9 },
  shared_sender_unavailable: { channel: "bale" },
  template_parameters_mismatch: { template_id: 3, expected: ["name"], missing: ["name"], extra: [] },
  message_too_long: { length: 1204, maximum: 1000 }
}
