import { isJson, type Json, mapOperations, mapValues, objectAt } from "./Operations.ts"

/** Descriptions of fields whose schemas have none: by name, or by schema and name if a name has several meanings. */
const fieldTexts: Readonly<Record<string, string>> = {
  // what is sent
  verification_id: "The verification's id.",
  message_id: "The message's id.",
  phone: "The phone, as `+989…`.",
  to: "The phone, as `+989…`.",
  text: "The text that was sent.",
  template: "The template of the text; null without one.",
  parameters: "The values of the template's placeholders.",
  strategy: "`failover`: the channels in order until one succeeds. `broadcast`: all of them.",
  scheduled_for: "When it is sent; null: at once.",
  completed_at: "When nothing was left to do; null until then.",
  verified_at: "When the right code was entered; null until then.",
  expires_at: "Until when it is valid; ISO 8601 in UTC. Null: without an end.",
  expires_in: "Seconds for which it is valid.",
  created_at: "When it was created; ISO 8601 in UTC.",
  metadata: "Your own data, as the send had it.",
  successful_attempts: "Attempts that a provider accepted.",
  failed_attempts: "Attempts that failed, or whose outcome is unknown.",
  channel_timeout: "Seconds to wait after each channel. A channel object's `wait` comes first.",
  template_id: "The text of the code on messengers: a template that contains `{{code}}`.",
  current_channel_status: "The outcome of the last attempt; null before the first.",
  remaining_seconds: "Seconds until the next channel; null if none follows.",
  transition_reason: "Why a later channel followed this attempt; null for the last one.",
  attempts: "Each call of a provider, in order.",
  sequence: "1, 2, 3 … in the order of the calls.",
  due_at: "When the call was planned; ISO 8601 in UTC.",
  attempted_at: "When the provider was called; null before that.",
  finished_at: "When it ended; null until then.",
  error_code: "Why the attempt failed; null if it did not.",
  error_message: "The same in words; null if it did not fail.",
  provider_error: "The provider's own code and text; null without one.",
  provider_message_id: "The provider's id of the message; null without one.",
  "OtpVerifyResponse.verified": "Whether the code was right. Nothing else signs a person in.",
  "OtpVerifyResponse.reason": "Why it was accepted, or was not.",
  AttemptErrorCode: "Why an attempt failed.",
  VerificationStatus:
    "`pending` and `queued` go on; `verified`, `failed`, `locked`, `expired` and `canceled` are final.",
  MessageStatus: "`queued` and `sending` go on; the others are final.",
  "OtpSendResponse.status": "`queued`: the code was sent, or will be. `failed`: no channel accepted it.",

  // channels and accounts
  ChannelDescriptor: "A channel, and the account that sends over it.",
  channel: "The channel.",
  provider: "The service that sends over the channel.",
  credential_id: "The account's id; null for an account of the platform.",
  account_id: "The account; null: the channel's default.",
  label: "The account's name, for people.",
  settings: "The provider's settings.",
  active: "Whether it is in use.",
  default: "Whether it is the account of its channel that is used if none is named.",
  sends: "What it can send: codes, messages or both.",
  gap_ms: "Milliseconds between two sends; null: the provider's usual.",
  per_minute: "Sends in a minute; null: the provider's usual.",
  failures: "Failures in a row.",
  result: "Whether the account works, as the provider says.",
  detail: "What the provider said; null if nothing.",
  check: "What the provider said when it was asked.",
  "AccountError.code": "Why it failed.",
  "AccountInbox.path": "Where the provider posts updates. Treat it as a secret.",
  chat_id: "The provider's id of the chat with this phone.",
  imported: "Contacts that were linked.",
  contacts: "Links from phones to chats.",
  steps: "The channels, in order.",
  wait: "Seconds before the next channel, or `measured`.",
  sender: "`shared`: the platform's account. Null: your own.",

  Channel: "The channel.",
  AccountCheck: "What the provider said when it was asked.",

  // credentials and people
  id: "The id.",
  name: "The name, for people.",
  customer: "The customer that the key belongs to.",
  customer_id: "The customer's id.",
  plan: "What the customer pays for.",
  mode: "`live`, or `test` for the sandbox.",
  "Guard.mode": "`record` refuses only what is on the deny list; `enforcing` refuses abuse, too.",
  "GuardSettings.mode": "`record` refuses only what is on the deny list; `enforcing` refuses abuse, too.",
  "GuardChange.mode": "`record` refuses only what is on the deny list; `enforcing` refuses abuse, too.",
  "NewGuard.mode": "`record` refuses only what is on the deny list; `enforcing` refuses abuse, too.",
  prefix: "How the secret begins.",
  last_four: "How the secret ends.",
  allowed_ips: "Networks (CIDR) from which it may be used; null: any.",
  rate_limit_per_minute: "Its own requests per minute; null: the customer's limit.",
  scope: "`read_only` can only read.",
  role: "`owner` manages access, `developer` changes the set-up, `viewer` reads. Null: not a user.",
  email: "The address that a person signs in with.",
  password: "8 to 1024 characters.",
  refresh_token: "Gets the next access token, once.",
  token_type: "How the access token is sent.",
  "Me.kind": "What the credential is.",
  keys: "The public keys (RFC 7517).",

  // webhooks
  url: "Where Peyk posts events.",
  events: "The types of events that are posted; `*`: all.",
  description: "Your note on it.",
  disabled_reason: "Why Peyk switched it off; null if it did not.",
  event_id: "The event's id: `webhook-id` of each try.",
  event_type: "The type of the event.",
  tries: "Each post, with its outcome.",
  duration_ms: "Milliseconds until the response.",
  replayed: "Events that are posted again.",
  webhook_id: "The webhook's id.",
  since: "From which time on.",
  "WebhookDelivery.error": "Why it failed; null if there was a response.",
  "WebhookDelivery.tries.error": "Why there was no response; null if there was one.",
  "WebhookDelivery.tries.status": "The HTTP status of the response; null without one.",
  "WebhookDelivery.replayed_at": "When it was last sent again by request; the list has it at this time.",
  "WebhookDelivery.subject": "The id of what the event is about.",

  // alerts
  kinds: "The kinds of alerts that people get.",
  quiet_hours: "When alerts wait, also their webhook events, in Tehran; null: never.",
  urgent_passes: "Whether channel_down, guard_alarm and webhook_off pass quiet hours.",
  counts: "Figures of the alert, by name.",
  "QuietHours.from": "When they begin, as 22:00.",
  "QuietHours.until": "When they end, as 08:00; it can be on the next day.",
  "AlertSettings.quiet_hours.from": "When they begin, as 22:00.",
  "AlertSettings.quiet_hours.until": "When they end, as 08:00; it can be on the next day.",
  held_back: "How often it happened since the alert before, without one.",
  raised_at: "When it was raised.",
  deliveries: "Its way to each person.",
  alert_id: "The alert's id.",
  recipient_id: "Who gets it.",
  by: "How it is sent.",
  address: "An e-mail address or a phone; null: the user was removed.",
  user_id: "The user; null: an address or a phone.",
  "Alert.kind": "What happened.",
  "Alert.subject": "What it is about.",
  "Alert.text": "The same in a sentence.",
  "Alert.deliveries.error": "Why the last try failed; null if none did.",
  "Alert.deliveries.tries": "How often it was tried.",
  "AlertRecipient.status":
    "`unconfirmed`: its code was not entered yet. `disabled`: the user cannot sign in.",
  "AlertRecipient.type": "Who it is.",
  "AlertRecipient.name": "The user's name; null: an address or a phone.",
  "NewAlertRecipient.phone": "A phone, which gets messages over your own accounts.",
  "AlertRecipientConfirmation.code": "The code that was sent there.",

  // money and use
  limits: "Limits of this key and of each phone.",
  currency: "Always rials.",
  wallet: "The customer's money; null if the plan is not charged.",
  limit: "How many are included.",
  used: "How many are used.",
  group_by: "What a row stands for.",
  accepted: "Requests that were accepted.",
  codes: "Codes that were sent.",
  messages: "Messages.",
  verifications: "Verifications.",
  verified: "Codes that were verified.",
  undelivered: "Attempts with a report that they did not arrive.",
  subject: "What it is about.",
  "LedgerEntry.kind": "`top_up`: money came in. `capture`: a send was charged.",
  "LedgerEntry.subject": "What was charged; null for a top-up.",
  "WalletHold.subject": "The send that the money is held for.",

  CodeUsage: "The codes of this row.",
  MessageUsage: "The messages of this row.",
  ChargedSubject: "The verification or message.",

  // guard and audit
  alarm_id: "The alarm's id.",
  segment: "Whose codes raised it.",
  "GuardAlarm.segment.kind": "What the codes have in common.",
  "GuardAlarm.action": "What is refused while it lasts; null: nothing.",
  "GuardAlarm.reason": "What raised it.",
  clean_verified: "The codes that were verified in these days.",
  expected_conversion: "The share of codes that is verified without abuse; null before it is known.",
  last_30_days: "What the guard saw in the last 30 days.",
  days: "Days with codes.",
  refused: "Codes that were refused.",
  sms_price: "What one SMS costs you, in rials; null: not set.",
  unverified_hour: "How many codes of an hour may be unverified at once; null: from your traffic.",
  would_refuse_verified: "Of these, codes that a user entered.",
  would_save_sms: "SMS that would not have been sent.",
  action: "What was done.",
  actor: "Who did it.",
  details: "More about it, for programs.",
  ip: "The address of the request; null from the command line.",
  user_agent: "The program of the request; null from the command line.",
  request_id: "The id of the request; null from the command line.",
  "AuditRecord.actor.kind": "A user, a token, an operator or the command line.",
  "AuditRecord.subject.type": "The kind of resource.",
  "GuardEntry.value": "The phone, prefix or network.",

  // templates
  "Template.body": "The text, with placeholders such as `{{name}}`.",
  "NewTemplate.body": "The text, with placeholders such as `{{name}}`.",
  "TemplateChange.body": "The text, with placeholders such as `{{name}}`.",
  placeholders: "The names of its placeholders.",
  carries_codes: "Whether it can carry codes.",

  // lists and the rest
  data: "The entries.",
  next_cursor: "The `cursor` of the next page; null: this is the last one.",
  version: "Counts the changes; the `ETag` has it.",
  status: "The state.",
  type: "The kind.",
  kind: "The kind.",
  value: "The value.",
  reason: "The reason.",
  error: "Why it was refused.",
  "MessageBatchResponse.data.error.code": "The code that a single send would have returned.",
  "MessageBatchResponse.data.error.message": "What is wrong, for you.",
  message: "The text.",
  body: "The text.",
  path: "The path."
}

/** Parameters by name; where a name has several meanings, by operation and name. */
const parameterTexts: Readonly<Record<string, string>> = {
  status: "Only those with this state.",
  mode: "Only live, or only test keys.",
  channel: "Only accounts of this channel.",
  active: "Only those that are in use, or only those that are not.",
  strategy: "Only those with this strategy.",
  kind: "Only movements of this kind.",
  actor_kind: "Only changes by this kind of actor.",
  event_type: "Only events of this type.",
  phone: "The phone, in any accepted form.",
  id: "The id that send returned.",
  event_id: "The event's id.",
  alarm_id: "The alarm's id.",
  list: "The allow list or the deny list.",
  type: "What the entry is.",
  value: "The phone, prefix or network."
}

const textFor = (names: ReadonlyArray<string>, name: string): string | undefined =>
  fieldTexts[[...names, name].join(".")] ?? fieldTexts[name]

/** A description of its own, or of what it is one of. */
const isDescribed = (schema: Json): boolean =>
  "description" in schema ||
  // what a reference means is said where it leads
  "$ref" in schema ||
  (Array.isArray(schema["anyOf"]) && schema["anyOf"].some((each) => isJson(each) && "description" in each))

/** Describes the fields of an object, of each choice, and of a list's items. */
const describeFields = (schema: Json, names: ReadonlyArray<string>): Json => {
  const { properties, items, anyOf, allOf } = schema
  const each = (parts: unknown) =>
    Array.isArray(parts) ? parts.map((part) => (isJson(part) ? describeFields(part, names) : part)) : parts
  return {
    ...schema,
    ...(isJson(properties)
      ? { properties: mapValues(properties, (field, name) => describeField(field, name, names)) }
      : {}),
    ...(isJson(items) ? { items: describeFields(items, names) } : {}),
    ...(anyOf === undefined ? {} : { anyOf: each(anyOf) }),
    ...(allOf === undefined ? {} : { allOf: each(allOf) })
  }
}

const describeField = (field: unknown, name: string, names: ReadonlyArray<string>): unknown => {
  if (!isJson(field)) return field
  const inner = describeFields(field, [...names, name])
  const description = isDescribed(field) ? undefined : textFor(names, name)
  return description === undefined ? inner : { ...inner, description }
}

const describeSchema = (schema: unknown, name: string): unknown => {
  if (!isJson(schema) || (name.endsWith("Error") && name !== "AccountError")) return schema
  const text = fieldTexts[name]
  const described = describeFields(schema, [name])
  return text === undefined || "description" in schema ? described : { ...described, description: text }
}

const describeParameter = (parameter: unknown): unknown => {
  if (!isJson(parameter) || "$ref" in parameter || "description" in parameter) return parameter
  const description = parameterTexts[String(parameter["name"])]
  return description === undefined ? parameter : { ...parameter, description }
}

const describeResponse = (response: unknown, id: string): unknown => {
  if (!isJson(response) || "$ref" in response) return response
  const content = mapValues(objectAt(response, "content"), (media) =>
    isJson(media) ? { ...media, schema: describeFields(objectAt(media, "schema"), [id]) } : media
  )
  return Object.keys(content).length === 0 ? response : { ...response, content }
}

/** Says what each field and parameter means. */
export const describeAllFields = (document: Json): Json => {
  const components = objectAt(document, "components")
  const schemas = mapValues(objectAt(components, "schemas"), describeSchema)
  const described = { ...document, components: { ...components, schemas } }
  return mapOperations(described, ({ id, body }) => {
    const { parameters, responses } = body
    return {
      ...body,
      ...(Array.isArray(parameters) ? { parameters: parameters.map(describeParameter) } : {}),
      ...(isJson(responses)
        ? { responses: mapValues(responses, (response) => describeResponse(response, id)) }
        : {})
    }
  })
}
