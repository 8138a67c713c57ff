import type { ErrorCode } from "./ErrorTable.ts"

/**
 * What a developer does about each error. The API document has it in `x-error-codes`, and the reference at each
 * operation that can return the error. Code spans are the only Markdown.
 */
export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  bad_request: "Check the client or the proxy between it and Peyk: it sent something that is not HTTP.",
  idempotency_required:
    "Send an `Idempotency-Key`: a new one for each new request, the same one when you repeat it.",
  idempotency_key_too_long: "Use at most 255 characters, such as a UUID or your order's id.",

  unauthenticated:
    "Check the credential and its header; `message` says what is wrong with it. Do not repeat the request.",

  insufficient_balance: "Top up the wallet, then send again. Nothing was sent or charged.",

  scope_insufficient:
    "Use a credential that may do this: a `read_write` token, or a user with the needed role.",
  ip_not_allowed: "Call from a network in the key's `allowed_ips`, or add this network to them.",
  test_key_not_allowed: "Use a live key here, or the same path below `/v1/sandbox`.",
  live_key_not_allowed: "Use a test key (`svc_test_…`) here.",
  shared_sender_not_allowed: 'Remove `sender: "shared"`, or connect an account of your own.',
  blocked_phone: "Tell the user that this number cannot be used. If that is wrong, change your deny list.",
  suspected_fraud:
    "Do not repeat it in a loop: wait for `Retry-After`. If it is a false alarm, clear the alarm or allow the phone.",

  not_found: "Check the id and whose it is: the id of another customer is not found either.",
  template_not_found: "Check `template_id`; `GET /v1/manage/templates` lists your templates.",
  channel_account_not_found: "Check `account_id`; `GET /v1/manage/accounts` lists your accounts.",

  method_not_allowed: "Use one of the methods in the response's `Allow` header.",

  request_timeout: "Send the whole body at once, on a new connection.",

  idempotency_key_conflict: "Use a new key: this one belongs to another request.",
  idempotency_key_in_progress:
    "Wait for `Retry-After`, then repeat it with the same key: you get its result.",
  verification_ended: "Read `details.status`. If the user still needs a code, send a new one.",
  no_next_channel: "Tell the user that no other channel is left, or send a new code.",
  message_ended: "Nothing is left to cancel. Read the message to see what was sent.",
  conflict: "Read `details.reason`: it names what is in the way. Change that first.",

  precondition_failed: "Read the resource again, apply your change to it, and send its new `ETag`.",

  payload_too_large: "Send less: split a batch or a list of contacts into several requests.",
  unsupported_media_type: "Send `Content-Type: application/json`.",

  misdirected_request: "Use the address in `PEYK_PUBLIC_URL`, or add this host to `PEYK_ALLOWED_HOSTS`.",

  validation_error: "Correct what `details.errors` lists: each entry has the field's path and what is wrong.",
  invalid_phone: "Ask the user for an Iranian mobile number, such as 0912 123 4567.",
  message_required: "Add `message`, or a `template`.",
  message_too_long: "Shorten the text to 1000 characters, or send it as two messages.",
  channels_required: "Add `channels` with at least one channel. Messages have no saved order.",
  invalid_strategy: "Use `failover` or `broadcast`.",
  invalid_delay: "Write a delay such as `90m`, `2h` or `3d`.",
  schedule_must_be_future: "Choose a later time, and check its offset: without one it is Tehran time.",
  schedule_too_far: "Choose a time within 30 days.",
  template_invalid: "Use an active template of the right kind: those for codes contain `{{code}}`.",
  template_parameters_mismatch:
    "Give exactly the template's placeholders; `details` names those that are missing or unknown.",
  channel_unavailable:
    "Connect an account for this channel, or switch one on. Until then leave the channel out.",
  channel_ambiguous: "Name one of the accounts with `account_id`, or make one the channel's default.",
  channel_account_mismatch: "Use an account of the named channel and provider.",
  duplicate_channel: "Name each channel once.",
  sms_message_config_missing: "Add the settings in `details.settings` to the SMS account.",
  fallback_order_required: "Send `channels`, or save a routing order.",
  no_credentials: "Connect a sending account, or switch one on.",
  invalid_channel: "Use one of the channels that you can send over; `details` names the wrong one.",

  too_many_requests_api_key:
    "Wait for `Retry-After`. Read the `RateLimit` header to slow down in time, or raise the key's limit.",
  too_many_requests_phone_hour:
    "Ask the user to wait for `Retry-After`. Do not send to the phone again before that.",
  too_many_requests_phone_day:
    "Ask the user to try again tomorrow; `Retry-After` has the seconds until then.",
  too_many_sign_ins: "Wait for `Retry-After` before the next password.",
  quota_exceeded: "Wait until the month ends, or change the plan.",

  headers_too_large: "Send fewer or smaller headers; cookies are not needed.",

  internal_error:
    "Repeat it once, with the same `Idempotency-Key` if it had one. If it persists, report the `request_id`.",

  shared_sender_unavailable: "Leave this channel out, or connect an account of your own.",
  service_unavailable:
    "Wait for `Retry-After`, then repeat it, with the same `Idempotency-Key` if it had one."
}
