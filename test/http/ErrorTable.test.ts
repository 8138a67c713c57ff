import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { Api } from "../../src/http/Api.ts"
import { errorTable } from "../../src/http/errors/ErrorTable.ts"
import { documentedCodes, objectAt, operations } from "./OpenApiDocument.ts"

/** Typed by hand from the interface document and the decisions. */
const statuses: Readonly<Record<string, number>> = {
  // the document's first table
  unauthenticated: 401,
  scope_insufficient: 403,
  test_key_not_allowed: 403,
  live_key_not_allowed: 403,
  validation_error: 422,
  quota_exceeded: 429,
  insufficient_balance: 402,
  too_many_requests_phone_hour: 429,
  too_many_requests_phone_day: 429,
  too_many_requests_api_key: 429,
  idempotency_key_conflict: 409,
  idempotency_key_in_progress: 409,
  not_found: 404,
  // its second table, with the statuses of the decisions
  invalid_phone: 422,
  message_required: 422,
  message_too_long: 422,
  channels_required: 422,
  invalid_strategy: 422,
  invalid_delay: 422,
  schedule_must_be_future: 422,
  schedule_too_far: 422,
  template_not_found: 404,
  template_invalid: 422,
  template_parameters_mismatch: 422,
  channel_unavailable: 422,
  channel_ambiguous: 422,
  channel_account_not_found: 404,
  channel_account_mismatch: 422,
  duplicate_channel: 422,
  sms_message_config_missing: 422,
  idempotency_key_too_long: 400,
  idempotency_required: 400,
  fallback_order_required: 422,
  no_credentials: 422,
  invalid_channel: 422,
  shared_sender_not_allowed: 403,
  shared_sender_unavailable: 503,
  // what HTTP itself needs
  method_not_allowed: 405,
  unsupported_media_type: 415,
  payload_too_large: 413,
  internal_error: 500,
  service_unavailable: 503,
  bad_request: 400,
  headers_too_large: 431,
  // what the management API needs
  ip_not_allowed: 403,
  conflict: 409,
  precondition_failed: 412,
  too_many_sign_ins: 429,
  second_factor_required: 401,
  // what cannot be canceled, or go on, any more
  no_next_channel: 409,
  verification_ended: 409,
  message_ended: 409,
  // the guard
  blocked_phone: 403,
  suspected_fraud: 403,
  // a body that does not come
  request_timeout: 408,
  // a name that is not served
  misdirected_request: 421
}

const anyRequest = ["unauthenticated", "too_many_requests_api_key", "internal_error", "service_unavailable"]
const live = [...anyRequest, "ip_not_allowed", "test_key_not_allowed"]
const sandbox = [...anyRequest, "ip_not_allowed", "live_key_not_allowed"]
const body = ["request_timeout", "unsupported_media_type", "payload_too_large", "validation_error"]
const anySend = [...body, "invalid_phone", "invalid_channel", "duplicate_channel"]

/** An item of a batch has an answer of its own. */
const aBatch = [
  ...body,
  "idempotency_required",
  "idempotency_key_too_long",
  "idempotency_key_conflict",
  "idempotency_key_in_progress"
]

/** The answers of each endpoint itself. */
const answers: ReadonlyArray<[string, ReadonlyArray<string>]> = [
  [
    "post /v1/otp/send",
    [
      ...live,
      ...anySend,
      "idempotency_required",
      "idempotency_key_too_long",
      "idempotency_key_conflict",
      "idempotency_key_in_progress",
      "blocked_phone",
      "suspected_fraud",
      "fallback_order_required",
      "no_credentials",
      "channel_unavailable",
      "channel_ambiguous",
      "channel_account_not_found",
      "channel_account_mismatch",
      "shared_sender_not_allowed",
      "shared_sender_unavailable",
      "sms_message_config_missing",
      "template_not_found",
      "template_invalid",
      "too_many_requests_phone_hour",
      "too_many_requests_phone_day",
      "quota_exceeded",
      "insufficient_balance"
    ]
  ],
  [
    "post /v1/messages/send",
    [
      ...live,
      ...anySend,
      "idempotency_key_too_long",
      "idempotency_key_conflict",
      "idempotency_key_in_progress",
      "message_required",
      "message_too_long",
      "channels_required",
      "invalid_strategy",
      "invalid_delay",
      "schedule_must_be_future",
      "schedule_too_far",
      "channel_unavailable",
      "channel_ambiguous",
      "channel_account_not_found",
      "channel_account_mismatch",
      "sms_message_config_missing",
      "template_not_found",
      "template_invalid",
      "template_parameters_mismatch",
      "too_many_requests_phone_hour",
      "too_many_requests_phone_day",
      "quota_exceeded",
      "insufficient_balance"
    ]
  ],
  [
    "post /v1/sandbox/messages/send",
    [
      ...sandbox,
      ...anySend,
      "idempotency_key_too_long",
      "idempotency_key_conflict",
      "idempotency_key_in_progress",
      "message_required",
      "message_too_long",
      "channels_required",
      "invalid_strategy",
      "invalid_delay",
      "schedule_must_be_future",
      "schedule_too_far",
      "template_not_found",
      "template_invalid",
      "template_parameters_mismatch",
      "too_many_requests_phone_hour",
      "insufficient_balance"
    ]
  ],
  ["post /v1/messages/batch", [...live, ...aBatch]],
  ["post /v1/sandbox/messages/batch", [...sandbox, ...aBatch]],
  ["get /v1/sandbox/messages/{message_id}", [...sandbox, "validation_error", "not_found"]],
  ["get /v1/sandbox/messages", [...sandbox, "validation_error", "invalid_phone"]],
  [
    "post /v1/sandbox/messages/{message_id}/cancel",
    [...sandbox, "validation_error", "not_found", "message_ended"]
  ],
  ["get /v1/messages/{message_id}", [...live, "validation_error", "not_found"]],
  ["get /v1/messages", [...live, "validation_error", "invalid_phone"]],
  ["post /v1/otp/{verification_id}/cancel", [...live, "validation_error", "not_found", "verification_ended"]],
  [
    "post /v1/otp/{verification_id}/next",
    [
      ...live,
      ...body,
      "not_found",
      "no_next_channel",
      "verification_ended",
      "invalid_channel",
      "insufficient_balance",
      "blocked_phone",
      "suspected_fraud",
      "too_many_requests_phone_hour"
    ]
  ],
  [
    "post /v1/sandbox/otp/{verification_id}/next",
    [...sandbox, ...body, "not_found", "no_next_channel", "verification_ended", "invalid_channel"]
  ],
  [
    "post /v1/sandbox/otp/{verification_id}/cancel",
    [...sandbox, "validation_error", "not_found", "verification_ended"]
  ],
  ["post /v1/messages/{message_id}/cancel", [...live, "validation_error", "not_found", "message_ended"]],
  ["get /v1/otp", [...live, "validation_error", "invalid_phone"]],
  ["get /v1/sandbox/otp", [...sandbox, "validation_error", "invalid_phone"]],
  ["post /v1/otp/preview", [...live, ...body, "invalid_phone"]],
  ["get /v1/account", [...anyRequest, "ip_not_allowed"]],
  ["get /v1/phones/{phone}/lookup", [...anyRequest, "ip_not_allowed", "validation_error", "invalid_phone"]],
  ["post /v1/phones/lookup", [...anyRequest, "ip_not_allowed", ...body, "invalid_phone"]],
  ["post /v1/otp/verify", [...live, ...body, "not_found"]],
  ["get /v1/otp/{verification_id}", [...live, "validation_error", "not_found"]],
  [
    "post /v1/sandbox/otp/send",
    [
      ...sandbox,
      ...anySend,
      "idempotency_key_too_long",
      "idempotency_key_conflict",
      "idempotency_key_in_progress",
      "too_many_requests_phone_hour",
      "insufficient_balance"
    ]
  ],
  ["post /v1/sandbox/otp/verify", [...sandbox, ...body, "not_found"]],
  ["get /v1/sandbox/otp/{verification_id}", [...sandbox, "validation_error", "not_found"]],
  ["get /healthz", []],
  ["get /readyz", ["service_unavailable"]],
  ["get /metrics", ["unauthenticated"]]
]

const document: unknown = OpenApi.fromApi(Api)

const statusesIn = (table: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.keys(table).map((code) => [code, objectAt(table, code)["status"]]))

const isManagement = (endpoint: string): boolean => / (\/v1\/(manage|auth)\/|\/\.well-known\/)/.test(endpoint)

/** Every management operation checks the credential first. */
const anyManagement = ["unauthenticated", "scope_insufficient", "internal_error", "service_unavailable"]

const sorted = (pairs: ReadonlyArray<readonly [string, number | undefined]>) =>
  pairs.map(([code, status]) => `${status} ${code}`).sort()

describe("the error table", () => {
  it("has every code of the documents with its status, and no other", () => {
    assert.deepStrictEqual(statusesIn(errorTable), statuses)
  })

  it("is what the list of codes lists", () => {
    assert.deepStrictEqual(Object.keys(errorTable).sort(), Object.keys(statuses).sort())
  })

  it("says something else to a person for each code", () => {
    const messages = Object.values(errorTable).map(({ message }) => message)
    assert.strictEqual(new Set(messages).size, messages.length)
    for (const message of messages) assert.match(message, /^[A-Z].*\.$/)
  })
})

describe("the OpenAPI document", () => {
  it("lists every code with its status", () => {
    assert.deepStrictEqual(statusesIn(objectAt(document, "x-error-codes")), statuses)
  })

  it("has exactly the endpoints whose codes are tested here", () => {
    assert.deepStrictEqual(
      [...operations(document).keys()].filter((endpoint) => !isManagement(endpoint)).sort(),
      answers.map(([endpoint]) => endpoint).sort()
    )
  })

  const managed = [...operations(document).keys()].filter((endpoint) => endpoint.includes(" /v1/manage/"))

  it("has the resources that a customer manages", () => {
    const resources = new Set(managed.map((endpoint) => endpoint.split("/")[3]))
    assert.deepStrictEqual([...resources].sort(), [
      "account",
      "accounts",
      "alerts",
      "api-keys",
      "audit-log",
      "guard",
      "insights",
      "me",
      "messages",
      "phones",
      "routing",
      "statements",
      "templates",
      "tokens",
      "usage",
      "users",
      "verifications",
      "wallet",
      "webhooks"
    ])
  })

  it.each(managed)(
    "has, for %s, what any request to manage can be refused with, and no unknown code",
    (endpoint) => {
      const operation = objectAt(operations(document).get(endpoint))
      const codes = documentedCodes(document, operation)
      const body =
        operation["requestBody"] === undefined
          ? []
          : ["request_timeout", "unsupported_media_type", "payload_too_large"]
      for (const code of [...anyManagement, ...body]) {
        assert.include(sorted(codes), `${statuses[code]} ${code}`)
      }
      for (const [code, status] of codes) assert.strictEqual(status, statuses[code])
    }
  )

  it.each(answers)(
    "has, for %s, each code it can answer under its status, and no other",
    (endpoint, codes) => {
      const documented = documentedCodes(document, objectAt(operations(document).get(endpoint)))
      assert.deepStrictEqual(sorted(documented), sorted(codes.map((code) => [code, statuses[code]])))
    }
  )
})
