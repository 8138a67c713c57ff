import { type Expected, type Problem, type ProblemTexts, saidWith, type SettingProblem } from "./Problem.ts"

const expectedText = (expected: Expected): string =>
  "type" in expected ? expected.type : JSON.stringify(expected.value)

const settingText = ({ setting, problem }: SettingProblem): string =>
  setting === null ? textOf(problem) : `${setting} ${textOf(problem)}`

/**
 * The words of the API, the command line and logs. Programs may compare them: a text that is in use stays as it is.
 * `http/console/forms/FieldMessages.ts` has those of the console.
 */
const texts: ProblemTexts = {
  required: () => "is required",
  unknown_field: () => "unknown field",
  unexpected_type: ({ expected }) => `Expected ${[...new Set(expected.map(expectedText))].join(" | ")}`,
  other: ({ text }) => text,
  empty: () => "must not be empty",
  too_long: ({ maximum }) => `Expected a length of at most ${maximum}`,
  too_many: ({ maximum }) => `Expected a length of at most ${maximum}`,
  too_many_characters: ({ maximum }) => `Expected at most ${maximum} characters`,
  wrong_length: ({ minimum, maximum }) => `Expected ${minimum} to ${maximum} characters`,
  not_number: () => "Expected a finite number",
  not_integer: () => "Expected an integer",
  out_of_range: ({ minimum, maximum }) => `Expected a value between ${minimum} and ${maximum}`,
  too_small: ({ above }) => `Expected a value greater than ${above}`,
  not_positive_integer: () => "Expected a positive whole number",
  not_digits: ({ minimum, maximum }) => `Expected ${minimum} to ${maximum} digits`,
  not_uuid: () => "Expected a UUID",
  not_printable: ({ minimum, maximum }) =>
    `Expected ${minimum} to ${maximum} printable ASCII characters without spaces`,
  not_storable: () => "Expected text without U+0000 or unpaired surrogates",
  not_visible: () => "Expected text that can be seen",
  value_not_visible: () => "Expected a value that can be seen, or none",
  not_one_line: () =>
    "Expected one line, without control characters and without characters that change the direction of text",
  not_brand: ({ maximum }) => `Expected 1 to ${maximum} characters on one line, without braces`,
  not_parameter: () =>
    "Expected a string, or a whole number of at most 2^53 - 1; send other numbers as strings",
  not_email: () => "Expected an e-mail address",
  not_mobile: () => "Expected an Iranian mobile number",
  phone_required: () => "Expected a phone number",
  not_prefix: ({ example }) => `Expected the beginning of a mobile number, such as ${example}`,
  not_host_name: ({ example }) => `Expected a host name, such as ${example}`,
  not_site_origin: ({ example }) => `Expected a site without port and path, such as ${example}`,
  not_app_hash: ({ characters }) => `Expected ${characters} characters of A-Z, a-z, 0-9, + and /`,
  origin_not_saved: () => "Expected one of the saved webotp_origins",
  not_ip: () => "Expected an IPv4 or IPv6 address",
  not_a_month: ({ example }) => `Expected a month such as ${example}`,
  not_time_zone: ({ example }) => `Expected a time zone such as ${example}`,
  not_network: ({ example }) => `Expected an IP address or a network such as ${example}`,
  not_date_time: () => "Expected an ISO 8601 date-time",
  not_a_year: ({ first, last }) => `Expected a time between the years ${first} and ${last}`,
  not_in_future: () => "Expected a time in the future",
  from_after_to: () => "Expected a time before the end of the period",
  period_too_long: ({ days }) => `Expected a period of at most ${days} days`,
  one_of_two: ({ given: [one, other] }) => `Only one of ${one} and ${other} may be given`,
  star_not_alone: () => "Expected * to stand alone",
  metadata_too_long: ({ bytes }) => `Expected at most ${bytes} bytes of JSON`,
  metadata_too_large: ({ bytes, levels }) =>
    `Expected an object of at most ${bytes} bytes of JSON, at most ${levels} levels deep`,

  not_utf8: () => "Expected UTF-8",
  not_json: () => "Expected a valid JSON body",
  not_empty_object: () => "Expected an empty object",
  no_versions: () => "Expected none: this operation compares no versions",
  not_an_etag: () => 'Expected an ETag of this resource, e.g. "3"',
  not_shown_version: () => "Expected the version that the page has shown",
  other_cursor: () => "Expected a next_cursor of this list",
  metadata_filter_form: () => "Expected metadata[key]=value",
  metadata_filter_key: ({ minimum, maximum }) => `Expected a key of ${minimum} to ${maximum} characters`,
  metadata_filter_twice: () => "Expected one value",
  metadata_filters: ({ maximum }) => `Expected at most ${maximum} keys`,

  address_refused: ({ problem }) => `The address ${textOf(problem)}`,
  not_http_url: ({ maximum }) =>
    `must be an http or https address of at most ${maximum} characters, without credentials or fragment`,
  not_https: ({ unless }) => `must begin with https://, unless ${unless} is set`,
  private_network: ({ unless }) => `must not lead into a private network, unless ${unless} is set`,

  settings_refused: ({ provider, problems }) =>
    `${provider === null ? "" : `settings of ${provider}: `}${problems.map(settingText).join("; ")}`,
  settings_twice: () => "must not come with settings, which replaces all of them",
  setting_missing: () => "is missing",
  setting_unknown: () => "is not a setting of this provider",
  setting_not_allowed: () => "is not allowed",
  setting_not_printable: ({ minimum, maximum }) =>
    `must be ${minimum} to ${maximum} printable ASCII characters without spaces`,
  setting_has_spaces: ({ minimum, maximum }) => `must be ${minimum} to ${maximum} characters without spaces`,
  setting_has_hash: ({ minimum, maximum }) =>
    `must be ${minimum} to ${maximum} characters without spaces or #`,
  setting_not_digits: ({ minimum, maximum }) => `must be ${minimum} to ${maximum} digits`,
  setting_not_number: () => "must be a positive whole number",
  setting_not_iranian: () => "must begin with +98, and have digits only",
  setting_not_username: () => "must be the username of a channel",
  setting_not_secret: ({ minimum, maximum, prefix }) =>
    `must be ${minimum} to ${maximum} bytes in base64, with or without ${prefix} before it`,
  simulator_off: () => "the simulator is switched off (PEYK_SIMULATOR)",

  provider_required: () => "Choose a channel and a provider",
  provider_unknown: ({ provider, known }) => `unknown provider ${provider}; there are: ${known.join(", ")}`,
  provider_gone: ({ provider }) => `there is no provider ${provider}`,
  provider_refuses: ({ reason }) =>
    `the provider refuses the account: ${reason} ("check": false saves it anyway)`,
  channel_not_served: ({ provider, channel, served }) =>
    `provider ${provider} does not serve ${channel}, but: ${served.join(", ")}`,
  codes_over_telegram: () =>
    "codes over telegram need a Telegram Gateway account (provider telegram_gateway); a bot sends messages only",
  texts_over_telegram: () =>
    "messages over telegram need a bot (provider telegram_bot); Telegram Gateway sends codes only",
  shared_sms_account: () => "there are no shared sms accounts",
  shared_default: () => "a shared account cannot be a default",
  account_twice: () => "an account is named twice",
  account_unknown: ({ account }) => `there is no account ${account}`,
  account_on_channel: ({ account, channel }) => `account ${account} is on ${channel}`,
  account_sends_no_codes: ({ account }) => `account ${account} sends no codes`,
  account_stands_by_itself: ({ account }) => `account ${account} would stand by for itself`,
  account_in_routing: () => "the routing order names it",
  account_in_codes: () => "a code that is under way may still use it",
  account_in_messages: () => "a message that is under way may still use it",
  account_without_contacts: ({ account, provider }) =>
    `account ${account} (${provider}) reaches phones without contacts`,
  account_without_inbox: ({ account }) => `nobody writes to account ${account}`,
  account_not_simulated: ({ account }) => `account ${account} is not simulated`,

  not_chat_id: () => "Expected the platform's id of a chat",
  no_contacts: () => "no line has a contact",
  too_many_lines: ({ maximum }) => `Expected at most ${maximum} lines`,
  file_not_utf8: () => "the file is not text in UTF-8",
  file_without_columns: ({ columns: [one, other] }) =>
    `the first line has to name the columns ${one} and ${other}`,
  file_rounded: () =>
    "every long chat_id ends in zeros: a spreadsheet keeps 15 digits of a number. Export the ids again, as text",
  line_not_mobile: ({ line }) => `line ${line} is not an Iranian mobile number`,
  line_chat_unusable: ({ line }) => `line ${line} has no usable chat_id`,
  line_chat_rewritten: ({ line }) => `line ${line} has a chat_id that a spreadsheet has rewritten`,
  line_quote: ({ line }) => `line ${line ?? "?"} has a quote that is not closed, or inside a field`,
  more: ({ count }) => `and ${count} more`,

  channel_required: () => "Choose a channel",
  provider_not_sms: () => "Only sms has a provider",
  sms_not_shared: () => "There is no shared sms sender",
  shared_by_account: () => "A shared sender is not chosen by account",
  sms_template: () => "SMS uses the template registered at its provider",
  voice_template: () => "A call reads the digits of the code, or the template registered at its provider",
  steps_only_on_request: () => "At least one step has to be without on_request: a send tries those by itself",
  step_account_unknown: ({ customer, channel, account }) =>
    `customer ${customer} has no ${channel} account ${account}`,

  template_off: () => "the template is switched off",
  template_braces: () => "the text has braces that are no placeholder",
  template_without_code: () => "the text does not contain {{code}}",
  template_placeholder: ({ name }) => `a code has no {{${name}}}`,
  too_many_views: ({ maximum }) => `there are ${maximum} saved views; delete one first`,
  view_exists: () => "another view of this page has this name",
  template_in_routing: () => "a step of the routing order names it",

  key_not_active: () => "the key is not active any more",
  webhook_disabled: () => "the webhook is disabled",
  webhook_not_subscribed: () => "the webhook does not take events of this type any more",
  too_many_webhooks: ({ maximum }) => `there are ${maximum} webhooks already`,
  too_many_listeners: ({ maximum }) => `${maximum} programs of this customer are listening already`,
  lists_full: ({ maximum }) => `the lists have ${maximum} entries`,
  no_owner: () => "the customer would have no owner",
  email_taken: () => "this e-mail address is taken",
  operator_role: () => "an operator has no other role",
  password_needs_sign_in: () => "Sign out and in again first: this needs a sign-in of the last 10 minutes",
  stale_sign_in: () => "This needs a sign-in of the last 10 minutes, by yourself: sign out and in again",

  not_time_of_day: ({ example }) => `Expected a time of the day, such as ${example}`,
  from_is_until: () => "Expected two different times",
  one_recipient: () => "Expected exactly one of user_id, email and phone",
  recipient_not_operator: () => "the installation alerts operators by e-mail only",
  recipient_unknown_user: () => "there is no such user",
  recipient_taken: () => "this recipient is there already",
  recipient_not_confirmed: () => "the address is not confirmed yet",
  too_many_recipients: ({ maximum }) => `there are ${maximum} recipients already`,
  too_many_alert_codes: ({ maximum }) => `${maximum} codes were sent within an hour already`,
  too_many_alert_tests: ({ maximum }) => `${maximum} test alerts were sent within an hour already`,
  alert_mail_off: () => "e-mail is not set up (PEYK_SMTP_URL)",
  alert_code_not_sent: ({ reason }) => `the code was not sent: ${reason}`,
  alert_code_wrong: () => "the code is wrong",
  alert_code_ended: () => "the code has ended: remove the recipient, and add it again",

  factor_wrong: () => "is not the code that the app shows now",
  clock_off: ({ minutes }) =>
    `is the code of another time: the phone's clock is ${Math.abs(minutes)} minutes ${minutes > 0 ? "fast" : "slow"}`,
  factor_form_expired: () => "was open for too long: begin again",
  factor_needed: () => "This is the only second factor, and one is required",
  passkey_refused: () => "was not accepted",
  passkey_known: () => "This passkey is already in use",
  too_many_passkeys: ({ maximum }) => `You already have ${maximum} passkeys`
}

/** The problem in English. */
export const textOf = (problem: Problem): string => saidWith(texts, problem)

export const textOrNull = (problem: Problem | null): string | null =>
  problem === null ? null : textOf(problem)
