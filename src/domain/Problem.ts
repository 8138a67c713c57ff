/** One kind of value that a schema takes: a type by its name, or a value that stands for itself. */
export type Expected = { readonly type: string } | { readonly value: string }

/** Between these, both included. */
interface Range {
  readonly minimum: number
  readonly maximum: number
}

/** What is wrong with one setting of a provider; `setting` is null if it is wrong with all of them. */
export interface SettingProblem {
  readonly setting: string | null
  readonly problem: Problem
}

type None = Readonly<Record<never, never>>

/** Everything that can be wrong with what somebody wants, by code, with what a person has to know of it. */
export interface ProblemParams {
  // fields
  readonly required: None
  readonly unknown_field: None
  readonly unexpected_type: { readonly expected: ReadonlyArray<Expected> }
  /** A rule that has no code of its own, in the words of whoever found it: Effect, or a page about a search. */
  readonly other: { readonly text: string }
  readonly empty: None
  readonly too_long: { readonly maximum: number }
  readonly too_many: { readonly maximum: number }
  readonly too_many_characters: { readonly maximum: number }
  readonly wrong_length: Range
  readonly not_number: None
  readonly not_integer: None
  readonly out_of_range: Range
  readonly too_small: { readonly above: number }
  readonly not_positive_integer: None
  readonly not_digits: Range
  readonly not_uuid: None
  readonly not_printable: Range
  readonly not_storable: None
  readonly not_visible: None
  readonly value_not_visible: None
  readonly not_one_line: None
  readonly not_brand: { readonly maximum: number }
  readonly not_parameter: None
  readonly not_email: None
  readonly not_mobile: None
  readonly phone_required: None
  readonly not_prefix: { readonly example: string }
  readonly not_host_name: { readonly example: string }
  readonly not_site_origin: { readonly example: string }
  readonly not_app_hash: { readonly characters: number }
  readonly origin_not_saved: None
  readonly not_ip: None
  readonly not_network: { readonly example: string }
  readonly not_date_time: None
  readonly not_time_zone: { readonly example: string }
  readonly not_a_month: { readonly example: string }
  readonly not_a_year: { readonly first: number; readonly last: number }
  readonly not_in_future: None
  readonly from_after_to: None
  readonly period_too_long: { readonly days: number }
  readonly one_of_two: { readonly given: readonly [string, string] }
  readonly star_not_alone: None
  readonly metadata_too_long: { readonly bytes: number }
  readonly metadata_too_large: { readonly bytes: number; readonly levels: number }
  // requests
  readonly not_utf8: None
  readonly not_json: None
  readonly not_empty_object: None
  readonly no_versions: None
  readonly not_an_etag: None
  readonly not_shown_version: None
  readonly other_cursor: None
  readonly metadata_filter_form: None
  readonly metadata_filter_key: Range
  readonly metadata_filter_twice: None
  readonly metadata_filters: { readonly maximum: number }
  // addresses that Peyk calls
  readonly address_refused: { readonly problem: Problem }
  readonly not_http_url: { readonly maximum: number }
  readonly not_https: { readonly unless: string }
  readonly private_network: { readonly unless: string }
  // settings of providers
  /** Without the provider where it is not part of what was sent. */
  readonly settings_refused: {
    readonly provider: string | null
    readonly problems: ReadonlyArray<SettingProblem>
  }
  readonly settings_twice: None
  readonly setting_missing: None
  readonly setting_unknown: None
  readonly setting_not_allowed: None
  readonly setting_not_printable: Range
  readonly setting_has_spaces: Range
  readonly setting_has_hash: Range
  readonly setting_not_digits: Range
  readonly setting_not_number: None
  readonly setting_not_iranian: None
  readonly setting_not_username: None
  readonly setting_not_secret: Range & { readonly prefix: string }
  readonly simulator_off: None
  // accounts
  readonly provider_required: None
  readonly provider_unknown: { readonly provider: string; readonly known: ReadonlyArray<string> }
  readonly provider_gone: { readonly provider: string }
  readonly provider_refuses: { readonly reason: string }
  readonly channel_not_served: {
    readonly provider: string
    readonly channel: string
    readonly served: ReadonlyArray<string>
  }
  readonly codes_over_telegram: None
  readonly texts_over_telegram: None
  readonly shared_sms_account: None
  readonly shared_default: None
  readonly account_twice: None
  readonly account_unknown: { readonly account: number }
  readonly account_on_channel: { readonly account: number; readonly channel: string }
  readonly account_sends_no_codes: { readonly account: number }
  readonly account_stands_by_itself: { readonly account: number }
  readonly account_in_routing: None
  readonly account_in_codes: None
  readonly account_in_messages: None
  readonly account_without_contacts: { readonly account: number; readonly provider: string }
  readonly account_without_inbox: { readonly account: number }
  readonly account_not_simulated: { readonly account: number }
  // contacts
  readonly not_chat_id: None
  readonly no_contacts: None
  readonly too_many_lines: { readonly maximum: number }
  readonly file_not_utf8: None
  readonly file_without_columns: { readonly columns: readonly [string, string] }
  readonly file_rounded: None
  readonly line_not_mobile: { readonly line: number }
  readonly line_chat_unusable: { readonly line: number }
  readonly line_chat_rewritten: { readonly line: number }
  /** Without the line if it cannot be told. */
  readonly line_quote: { readonly line: number | null }
  readonly more: { readonly count: number }
  // routing
  readonly channel_required: None
  readonly provider_not_sms: None
  readonly sms_not_shared: None
  readonly shared_by_account: None
  readonly sms_template: None
  readonly voice_template: None
  readonly steps_only_on_request: None
  readonly step_account_unknown: {
    readonly customer: number
    readonly channel: string
    readonly account: number
  }
  // templates
  readonly template_off: None
  readonly template_braces: None
  readonly template_without_code: None
  readonly template_placeholder: { readonly name: string }
  readonly template_in_routing: None
  readonly too_many_views: { readonly maximum: number }
  readonly view_exists: None
  // keys, webhooks, lists, people
  readonly key_not_active: None
  readonly webhook_disabled: None
  readonly webhook_not_subscribed: None
  readonly too_many_webhooks: { readonly maximum: number }
  readonly too_many_listeners: { readonly maximum: number }
  readonly lists_full: { readonly maximum: number }
  readonly no_owner: None
  readonly email_taken: None
  readonly operator_role: None
  readonly password_needs_sign_in: None
  readonly stale_sign_in: None
  // alerts
  readonly not_time_of_day: { readonly example: string }
  readonly from_is_until: None
  readonly one_recipient: None
  readonly recipient_not_operator: None
  readonly recipient_unknown_user: None
  readonly recipient_taken: None
  readonly recipient_not_confirmed: None
  readonly too_many_recipients: { readonly maximum: number }
  readonly too_many_alert_codes: { readonly maximum: number }
  readonly too_many_alert_tests: { readonly maximum: number }
  readonly alert_mail_off: None
  readonly alert_code_not_sent: { readonly reason: string }
  readonly alert_code_wrong: None
  readonly alert_code_ended: None
  // second factors
  readonly factor_wrong: None
  readonly clock_off: { readonly minutes: number }
  readonly factor_form_expired: None
  readonly factor_needed: None
  readonly passkey_refused: None
  readonly passkey_known: None
  readonly too_many_passkeys: { readonly maximum: number }
}

export type ProblemCode = keyof ProblemParams

/** What is wrong, without words: they come with the reader. */
export type Problem = {
  readonly [Code in ProblemCode]: { readonly code: Code; readonly params: ProblemParams[Code] }
}[ProblemCode]

type ProblemOf<Code extends ProblemCode> = Extract<Problem, { readonly code: Code }>

type Args<Params> = keyof Params extends never ? readonly [] : readonly [params: Params]

export const problem = <Code extends ProblemCode>(
  code: Code,
  ...[params]: Args<ProblemParams[Code]>
): ProblemOf<Code> => ({ code, params: params ?? {} }) as ProblemOf<Code>

/** What is wrong with one part of a request, such as `body.channels[0].wait`. */
export interface FieldProblem {
  readonly path: string
  readonly problem: Problem
}

/** One way of saying each problem. */
export type ProblemTexts<Context extends ReadonlyArray<unknown> = []> = {
  readonly [Code in ProblemCode]: (params: ProblemParams[Code], ...context: Context) => string
}

/** The problem in the texts of a table. */
export const saidWith = <Context extends ReadonlyArray<unknown>>(
  texts: ProblemTexts<Context>,
  { code, params }: Problem,
  ...context: Context
): string => (texts[code] as (params: unknown, ...context: Context) => string)(params, ...context)
