/** Every code of the error envelope with its HTTP status and its text. Only this table knows both. */
export const errorTable = {
  bad_request: { status: 400, message: "The request is not valid HTTP." },
  idempotency_required: { status: 400, message: "The Idempotency-Key header is required." },
  idempotency_key_too_long: {
    status: 400,
    message: "The Idempotency-Key header is longer than 255 characters."
  },

  unauthenticated: { status: 401, message: "The credential is missing, invalid, expired or revoked." },
  second_factor_required: {
    status: 401,
    message: "A second factor is needed; send second_factor too. Without one, set one up in the console."
  },

  insufficient_balance: { status: 402, message: "The wallet balance does not cover this request." },

  scope_insufficient: { status: 403, message: "This kind of credential is not sufficient here." },
  ip_not_allowed: { status: 403, message: "This key is not valid from this network address." },
  test_key_not_allowed: { status: 403, message: "A test key is valid on sandbox endpoints only." },
  live_key_not_allowed: { status: 403, message: "A live key is not valid on sandbox endpoints." },
  shared_sender_not_allowed: { status: 403, message: "Shared senders are for the start plan only." },

  blocked_phone: {
    status: 403,
    message: "Your deny list has this phone, its prefix or the client's address."
  },
  suspected_fraud: { status: 403, message: "This request looks like abuse; see the guard's alarms." },

  not_found: { status: 404, message: "There is no such resource." },
  template_not_found: { status: 404, message: "There is no such template." },
  channel_account_not_found: { status: 404, message: "There is no such account." },

  method_not_allowed: { status: 405, message: "This path does not have this method; see the Allow header." },

  request_timeout: { status: 408, message: "The request did not arrive in time." },

  idempotency_key_conflict: {
    status: 409,
    message: "This idempotency key was used with another request, or by somebody else."
  },
  idempotency_key_in_progress: {
    status: 409,
    message: "The earlier request with this key is still in progress."
  },

  verification_ended: { status: 409, message: "The verification has ended." },
  no_next_channel: { status: 409, message: "No channel is left to try." },
  message_ended: { status: 409, message: "The message was sent, may have been, or has ended." },
  conflict: { status: 409, message: "Something else stands in the way; see details.reason." },

  precondition_failed: { status: 412, message: "The resource has changed meanwhile; read it again." },

  payload_too_large: { status: 413, message: "The request body is too large." },
  unsupported_media_type: { status: 415, message: "Send the body as Content-Type: application/json." },

  misdirected_request: {
    status: 421,
    message:
      "This Host is not served here: it is neither this machine, nor in PEYK_PUBLIC_URL or PEYK_ALLOWED_HOSTS."
  },

  validation_error: { status: 422, message: "The request does not match the schema; see details.errors." },
  invalid_phone: { status: 422, message: "This is not an Iranian mobile number." },
  message_required: { status: 422, message: "Give a message or a template." },
  message_too_long: { status: 422, message: "The message is longer than 1000 characters." },
  channels_required: { status: 422, message: "Name at least one channel." },
  invalid_strategy: { status: 422, message: "The strategy is failover or broadcast." },
  invalid_delay: {
    status: 422,
    message: "A delay is a whole number above 0 and a unit, without a space: s, m, h or d."
  },
  schedule_must_be_future: { status: 422, message: "The time of sending is not in the future." },
  schedule_too_far: { status: 422, message: "The time of sending is more than 30 days ahead." },
  template_invalid: { status: 422, message: "This template cannot be used here." },
  template_parameters_mismatch: { status: 422, message: "The parameters do not match the template." },
  channel_unavailable: { status: 422, message: "No active account serves this channel." },
  channel_ambiguous: {
    status: 422,
    message: "Several accounts serve this channel: name one, or set a default."
  },
  channel_account_mismatch: { status: 422, message: "The account does not serve this channel." },
  duplicate_channel: { status: 422, message: "A channel appears more than once." },
  sms_message_config_missing: { status: 422, message: "The SMS account's settings are incomplete." },
  fallback_order_required: { status: 422, message: "Name channels, or save a default routing order." },
  no_credentials: { status: 422, message: "No sending account is active." },
  invalid_channel: { status: 422, message: "Unknown channel." },

  too_many_requests_api_key: { status: 429, message: "This credential has reached its limit for a minute." },
  too_many_requests_phone_hour: { status: 429, message: "This phone has reached its hourly limit." },
  too_many_requests_phone_day: { status: 429, message: "This phone has reached its daily limit." },
  too_many_sign_ins: { status: 429, message: "Too many sign-ins or password changes; try again later." },
  quota_exceeded: { status: 429, message: "The free plan's monthly quota is used up." },

  headers_too_large: { status: 431, message: "The request headers are too large." },

  internal_error: { status: 500, message: "Something went wrong here; the request id finds it in our logs." },

  shared_sender_unavailable: { status: 503, message: "No shared sender is active for this messenger." },
  service_unavailable: { status: 503, message: "The service cannot answer now; try again shortly." }
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

export type ErrorCode = keyof typeof errorTable

/** The text of an error with these details. */
export const textOf = (code: ErrorCode, { settings }: Readonly<Record<string, unknown>>): string =>
  code === "sms_message_config_missing" && Array.isArray(settings) && settings.length > 0
    ? `The SMS account lacks a setting that this needs: ${settings.join(", ")}.`
    : errorTable[code].message
