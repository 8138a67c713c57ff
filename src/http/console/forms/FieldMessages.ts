import type {
  Expected,
  Problem,
  ProblemCode,
  ProblemParams,
  SettingProblem
} from "../../../domain/Problem.ts"
import type { Locale } from "../frame/Locale.ts"
import { isolatedText } from "../parts/Text.ts"

const typeProblem = (expected: ReadonlyArray<Expected>, { say }: Locale): string => {
  const values = expected.flatMap((each) => ("value" in each ? [each.value] : []))
  const types = new Set(
    expected.flatMap((each) => ("type" in each && each.type !== "null" ? [each.type] : []))
  )
  if (values.length > 0 && types.size === 0) {
    return say("Choose one of the offered values.", "یکی از گزینه‌ها را برگزینید.")
  }
  if (types.has("number") && values.length > 0) {
    const words = values.join(", ")
    return say(`Enter seconds, or the word ${words}.`, `ثانیه‌ها یا واژهٔ ${words} را بنویسید.`)
  }
  if (types.has("number")) return say("Enter a whole number.", "عددی بدون اعشار بنویسید.")
  return types.has("string")
    ? say("This is required.", "این لازم است.")
    : say("This has not the expected form.", "این به شکلی که باید نیست.")
}

const settingMessage =
  (locale: Locale) =>
  ({ setting, problem }: SettingProblem): string =>
    setting === null ? fieldMessage(problem, locale) : `${setting}: ${fieldMessage(problem, locale)}`

/** Both languages; `{name}` stands for the parameter of that name. */
type Text = readonly [english: string, persian: string]

/** The texts of the console. `domain/ProblemTexts.ts` has those of the API. */
const texts = {
  required: ["This is required.", "این لازم است."],
  unknown_field: ["There is no such field.", "چنین فیلدی نیست."],
  unexpected_type: ({ expected }, locale) => typeProblem(expected, locale),
  other: ({ text }) => text,
  empty: ["This must not be empty.", "این نباید خالی باشد."],
  too_long: ["Enter at most {maximum} characters.", "حداکثر {maximum} نویسه بنویسید."],
  too_many: ["At most {maximum} are allowed here.", "اینجا حداکثر {maximum} مورد پذیرفته می‌شود."],
  too_many_characters: ["Enter at most {maximum} characters.", "حداکثر {maximum} نویسه بنویسید."],
  wrong_length: ["Enter {minimum} to {maximum} characters.", "{minimum} تا {maximum} نویسه بنویسید."],
  not_number: ["Enter a number.", "عددی بنویسید."],
  not_integer: ["Enter a whole number.", "عددی بدون اعشار بنویسید."],
  out_of_range: ["Enter a number from {minimum} to {maximum}.", "عددی از {minimum} تا {maximum} بنویسید."],
  too_small: ["Enter a number above {above}.", "عددی بزرگ‌تر از {above} بنویسید."],
  not_positive_integer: ["Enter a positive whole number.", "عددی مثبت و بدون اعشار بنویسید."],
  not_digits: ["Enter {minimum} to {maximum} digits.", "{minimum} تا {maximum} رقم بنویسید."],
  not_uuid: ["Enter an id, as Peyk gave it.", "شناسه را همان‌گونه که پیک داده است بنویسید."],
  not_printable: [
    "Enter {minimum} to {maximum} Latin letters, digits or signs, without spaces.",
    "{minimum} تا {maximum} حرف لاتین، رقم یا نشانه بنویسید، بدون فاصله."
  ],
  not_storable: ["This has characters that cannot be sent.", "نویسه‌هایی دارد که نمی‌توان فرستاد."],
  not_visible: ["Enter a text that can be seen.", "متنی بنویسید که دیده شود."],
  value_not_visible: ["Enter a text that can be seen.", "متنی بنویسید که دیده شود."],
  not_one_line: [
    "Enter one line, without control characters and without characters that change the direction of text.",
    "یک سطر بنویسید، بدون نویسه‌های کنترلی و نویسه‌هایی که جهت متن را تغییر می‌دهند."
  ],
  not_brand: ({ maximum }, { say, number }) =>
    say(
      `Enter ${number(1)} to ${number(maximum)} characters on one line, without braces.`,
      `${number(1)} تا ${number(maximum)} نویسه در یک سطر بنویسید، بدون آکولاد.`
    ),
  not_parameter: ["Enter a text, or a whole number.", "متن یا عددی بدون اعشار بنویسید."],
  not_email: ["Enter an e-mail address.", "نشانی ایمیل را بنویسید."],
  not_mobile: ["Enter an Iranian mobile number.", "شمارهٔ موبایل ایرانی بنویسید."],
  phone_required: ["Enter a phone number.", "شماره را بنویسید."],
  not_prefix: [
    "Enter the beginning of a mobile number, such as 0912345.",
    "آغاز شمارهٔ موبایل را بنویسید، مانند ۰۹۱۲۳۴۵."
  ],
  not_host_name: ["Enter a host name, such as {example}.", "نام دامنه را بنویسید، مانند {example}."],
  not_ip: ["Enter an IP address.", "نشانی IP را بنویسید."],
  not_network: [
    "Enter an IP address or a network, such as {example}.",
    "نشانی IP یا شبکه بنویسید، مانند {example}."
  ],
  not_date_time: (_, { say }) =>
    say("Enter a date and time.", `تاریخ و ساعت را بنویسید، مانند ${isolatedText("۱۴۰۵/۰۹/۰۳ ۱۴:۳۰")}.`),
  not_a_year: ({ first, last }, { say }) =>
    say(`Enter a time from ${first} to ${last}.`, `زمانی از سال ${first} تا ${last} میلادی بنویسید.`),
  not_in_future: ["Enter a time in the future.", "زمانی در آینده بنویسید."],
  from_after_to: ["Enter a time before the end of the period.", "زمانی پیش از پایان بازه بنویسید."],
  period_too_long: ["Choose a period of at most {days} days.", "بازه‌ای حداکثر {days} روزه برگزینید."],
  one_of_two: ({ given: [one, other] }, { say }) =>
    say(
      `Enter ${one} or ${other}, not both.`,
      `${isolatedText(one)} یا ${isolatedText(other)} را بنویسید، نه هر دو را.`
    ),
  star_not_alone: ["Choose all events, or some, not both.", "یا همهٔ رویدادها را برگزینید یا برخی را."],
  metadata_too_long: ["Enter at most {bytes} bytes of JSON.", "حداکثر {bytes} بایت JSON بنویسید."],
  metadata_too_large: [
    "Enter an object of at most {bytes} bytes of JSON, at most {levels} levels deep.",
    "شیء JSON با حداکثر {bytes} بایت و {levels} لایه بنویسید."
  ],

  not_utf8: ["The request is not text in UTF-8.", "درخواست متن UTF-8 نیست."],
  not_json: ["The request is not valid JSON.", "درخواست JSON درستی نیست."],
  not_empty_object: ["This takes no values.", "اینجا مقداری لازم نیست."],
  no_versions: ["This compares no versions.", "اینجا نسخه‌ها سنجیده نمی‌شوند."],
  not_an_etag: ["Enter the version as it was given.", "نسخه را همان‌گونه که داده شد بنویسید."],
  not_shown_version: ["Open the page again.", "صفحه را دوباره باز کنید."],
  other_cursor: ["This page of the list is not there.", "این صفحهٔ فهرست وجود ندارد."],
  metadata_filter_form: (_, { say }) =>
    say(
      "Enter the search as metadata[key]=value.",
      `جست‌وجو را به شکل ${isolatedText("metadata[key]=value")} بنویسید.`
    ),
  metadata_filter_key: [
    "Enter a key of {minimum} to {maximum} characters.",
    "کلیدی با {minimum} تا {maximum} نویسه بنویسید."
  ],
  metadata_filter_twice: ["Enter one value.", "یک مقدار بنویسید."],
  metadata_filters: ["Enter at most {maximum} keys.", "حداکثر {maximum} کلید بنویسید."],
  address_refused: ({ problem }, locale) => fieldMessage(problem, locale),
  not_http_url: [
    "Enter an http or https address of at most {maximum} characters, without credentials or fragment.",
    "نشانی http یا https با حداکثر {maximum} نویسه بنویسید، بدون نام کاربری، گذرواژه و بخش پس از #."
  ],
  not_https: ({ unless }, { say }) =>
    say(
      `The address must begin with https://, unless this installation has ${unless}=true.`,
      `نشانی باید با ${isolatedText("https://")} آغاز شود، مگر آنکه این نصب ${isolatedText(`${unless}=true`)} داشته باشد.`
    ),
  private_network: ({ unless }, { say }) =>
    say(
      `The address must not lead into a private network, unless this installation has ${unless}=true.`,
      `نشانی نباید به شبکه‌ای خصوصی برسد، مگر آنکه این نصب ${isolatedText(`${unless}=true`)} داشته باشد.`
    ),

  settings_refused: ({ problems }, locale) => problems.map(settingMessage(locale)).join(between(locale)),
  setting_missing: ["This is required.", "این لازم است."],
  setting_unknown: ["This provider has no such setting.", "این سرویس‌دهنده چنین تنظیمی ندارد."],
  setting_not_allowed: ["This value is not allowed.", "این مقدار پذیرفته نمی‌شود."],
  setting_not_printable: [
    "Enter {minimum} to {maximum} Latin letters, digits or signs, without spaces.",
    "{minimum} تا {maximum} حرف لاتین، رقم یا نشانه بنویسید، بدون فاصله."
  ],
  setting_has_spaces: [
    "Enter {minimum} to {maximum} characters, without spaces.",
    "{minimum} تا {maximum} نویسه بنویسید، بدون فاصله."
  ],
  setting_has_hash: [
    "Enter {minimum} to {maximum} characters, without spaces and #.",
    "{minimum} تا {maximum} نویسه بنویسید، بدون فاصله و #."
  ],
  setting_not_digits: ["Enter {minimum} to {maximum} digits.", "{minimum} تا {maximum} رقم بنویسید."],
  setting_not_number: ["Enter a positive whole number.", "عددی مثبت و بدون اعشار بنویسید."],
  setting_not_iranian: ["Begin with +98, and enter digits only.", "با ‎+98 آغاز کنید و تنها رقم بنویسید."],
  setting_not_username: ["Enter the username of a channel.", "نام کاربری یک کانال را بنویسید."],
  setting_not_secret: [
    "Enter {minimum} to {maximum} bytes in base64, with or without {prefix} before them.",
    "{minimum} تا {maximum} بایت به شکل base64 بنویسید، با {prefix} پیش از آن یا بدون آن."
  ],
  simulator_off: (_, { say }) =>
    say(
      "The simulator is switched off (PEYK_SIMULATOR).",
      `شبیه‌ساز خاموش است (${isolatedText("PEYK_SIMULATOR")}).`
    ),

  provider_required: ["Choose a channel and a provider.", "کانال و سرویس‌دهنده را برگزینید."],
  provider_unknown: ({ provider, known }, { say }) =>
    say(
      `There is no provider ${provider}; there are: ${known.join(", ")}.`,
      `سرویس‌دهندهٔ ${isolatedText(provider)} نیست؛ اینها هستند: ${isolatedText(known.join(", "))}.`
    ),
  provider_gone: ["There is no provider {provider}.", "سرویس‌دهندهٔ {provider} نیست."],
  provider_refuses: ({ reason }, { say }) =>
    say(
      `The provider refuses the account: ${reason} (untick the check to save it anyway)`,
      `سرویس‌دهنده حساب را نمی‌پذیرد: ${reason} (برای ذخیره با این همه، تیک بررسی را بردارید)`
    ),
  channel_not_served: ({ provider, channel, served }, { say }) =>
    say(
      `The provider ${provider} does not serve ${channel}, but: ${served.join(", ")}.`,
      `سرویس‌دهندهٔ ${isolatedText(provider)} کانال ${isolatedText(channel)} را ندارد؛ اینها را دارد: ${isolatedText(served.join(", "))}.`
    ),
  codes_over_telegram: [
    "Codes over Telegram need an account of Telegram Gateway; a bot sends messages only.",
    "کد در تلگرام حساب Telegram Gateway می‌خواهد؛ بات تنها پیام می‌فرستد."
  ],
  texts_over_telegram: [
    "Messages over Telegram need a bot; Telegram Gateway sends codes only.",
    "پیام در تلگرام بات می‌خواهد؛ Telegram Gateway تنها کد می‌فرستد."
  ],
  shared_sms_account: ["There are no shared SMS accounts.", "پیامک حساب اشتراکی ندارد."],
  shared_default: ["A shared account cannot be a default.", "حساب اشتراکی نمی‌تواند پیش‌فرض باشد."],
  account_twice: ["An account is chosen twice.", "حسابی دو بار انتخاب شده است."],
  account_unknown: ["One of the accounts is no longer connected.", "یکی از حساب‌ها دیگر وصل نیست."],
  account_on_channel: ["Account {account} is on {channel}.", "حساب {account} در کانال {channel} است."],
  account_sends_no_codes: ["Account {account} sends no codes.", "حساب {account} کد نمی‌فرستد."],
  account_stands_by_itself: ["The account would stand by for itself.", "حساب پشتیبان خودش می‌شد."],
  account_in_routing: ["A step of the routing order names it.", "گامی از مسیر ارسال آن را نام می‌برد."],
  account_in_codes: [
    "A code that is under way may still use it.",
    "شاید کدی که در راه است آن را به کار ببرد."
  ],
  account_in_messages: [
    "A message that is under way may still use it.",
    "شاید پیامی که در راه است آن را به کار ببرد."
  ],
  account_without_contacts: [
    "This account reaches phones without contacts.",
    "این حساب بدون مخاطب‌ها به شماره‌ها می‌رسد."
  ],
  account_without_inbox: ["Nobody writes to this account.", "کسی به این حساب نمی‌نویسد."],
  account_not_simulated: ["This account is not simulated.", "این حساب شبیه‌سازی نیست."],

  not_chat_id: [
    "Enter the id of the chat as the platform writes it.",
    "شناسهٔ گفتگو را همان‌گونه که پیام‌رسان می‌نویسد وارد کنید."
  ],
  no_contacts: ["There is no line with a phone and a chat id.", "سطری با شماره و شناسهٔ گفتگو نیست."],
  too_many_lines: ["Enter at most {maximum} lines.", "حداکثر {maximum} سطر بنویسید."],
  file_not_utf8: [
    "This is not text in UTF-8. Save the file as CSV UTF-8.",
    "این متن UTF-8 نیست. پرونده را با قالب CSV UTF-8 ذخیره کنید."
  ],
  file_without_columns: ({ columns: [one, other] }, { say }) =>
    say(
      `The first line has to name the columns ${one} and ${other}.`,
      `سطر نخست باید ستون‌های ${one} و ${other} را نام ببرد.`
    ),
  file_rounded: [
    "Every long chat id ends in zeros: a spreadsheet keeps 15 digits of a number. Export the ids again, as text.",
    "همهٔ شناسه‌های بلند به صفر پایان می‌یابند: صفحه‌گسترده ۱۵ رقم عدد را نگه می‌دارد. شناسه‌ها را به شکل متن بگیرید."
  ],
  line_not_mobile: ["line {line} is not an Iranian mobile number", "سطر {line} شمارهٔ موبایل ایرانی ندارد"],
  line_chat_unusable: ["line {line} has no usable chat_id", "سطر {line} شناسهٔ گفتگوی درستی ندارد"],
  line_chat_rewritten: [
    "line {line} has a chat id that a spreadsheet has rewritten: format its column as text",
    "سطر {line} شناسهٔ گفتگویی دارد که صفحه‌گسترده آن را تغییر داده است؛ ستونش را متن کنید"
  ],
  line_quote: ({ line }, { say, number }) => {
    const at = line === null ? "?" : number(line)
    return say(
      `line ${at} has a quote that is not closed, or inside a field`,
      `سطر ${at} نشان نقل‌قولی دارد که بسته نشده یا میان فیلد آمده است`
    )
  },
  more: ["and {count} more", "و {count} مورد دیگر"],

  channel_required: ["Choose a channel.", "کانالی برگزینید."],
  provider_not_sms: ["Only SMS has a provider.", "تنها پیامک سرویس‌دهنده دارد."],
  sms_not_shared: ["SMS has no shared sender.", "پیامک فرستندهٔ اشتراکی ندارد."],
  shared_by_account: ["A shared sender is not chosen by account.", "فرستندهٔ اشتراکی با حساب انتخاب نمی‌شود."],
  sms_template: [
    "SMS uses the template that is registered at its provider.",
    "متن پیامک همان قالبی است که نزد سرویس‌دهنده ثبت شده است."
  ],
  step_account_unknown: ["One of the accounts is no longer connected.", "یکی از حساب‌ها دیگر وصل نیست."],

  template_off: ["The template is switched off.", "قالب خاموش است."],
  template_braces: ["The text has braces that are no placeholder.", "در متن آکولادی هست که جای‌نما نیست."],
  template_without_code: (_, { say }) =>
    say("The text does not contain {{code}}.", `متن ${isolatedText("{{code}}")} را ندارد.`),
  template_placeholder: ({ name }, { say }) =>
    say(`A code has no {{${name}}}.`, `کد ${isolatedText(`{{${name}}}`)} ندارد.`),
  template_in_routing: ["A step of the routing order names it.", "گامی از مسیر ارسال آن را نام می‌برد."],

  key_not_active: ["The key is no longer active.", "کلید دیگر فعال نیست."],
  webhook_disabled: ["The webhook is switched off.", "وب‌هوک خاموش است."],
  webhook_not_subscribed: [
    "The webhook does not take events of this type any more.",
    "وب‌هوک دیگر رویدادهایی از این نوع را نمی‌گیرد."
  ],
  too_many_webhooks: ["There are {maximum} webhooks already.", "پیش‌تر {maximum} وب‌هوک ساخته شده است."],
  lists_full: ["The lists already have {maximum} entries.", "فهرست‌ها {maximum} مورد دارند."],
  no_owner: ["The account would have no owner.", "حساب بدون مالک می‌ماند."],
  email_taken: ["This address is in use already.", "این نشانی پیش‌تر به کار رفته است."],
  operator_role: ["An operator has no other role.", "گرداننده نقش دیگری ندارد."],
  password_needs_sign_in: [
    "Sign out and in again first: this needs a sign-in of the last 10 minutes",
    "نخست خارج و دوباره وارد شوید: این کار ورودی از ۱۰ دقیقهٔ گذشته می‌خواهد"
  ],
  stale_sign_in: [
    "Sign out and in again first: this needs a sign-in of the last 10 minutes, by yourself. If you came by a link, choose a password and sign in with it.",
    "نخست خارج و دوباره وارد شوید: این کار ورودِ خودتان در ۱۰ دقیقهٔ گذشته را می‌خواهد. اگر با پیوند آمده‌اید، گذرواژه‌ای برگزینید و با آن وارد شوید."
  ]
} as const satisfies {
  readonly [Code in ProblemCode]: Text | ((params: ProblemParams[Code], locale: Locale) => string)
}

type NamesIn<Line extends string> = Line extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

type NamesOf<Entry> = Entry extends Text ? NamesIn<Entry[number]> : never

/** Does not compile if a text names a parameter that its problem has not. */
const checked: {
  readonly [Code in ProblemCode]: NamesOf<(typeof texts)[Code]> extends keyof ProblemParams[Code]
    ? Text | ((params: ProblemParams[Code], locale: Locale) => string)
    : never
} = texts

const shownParam = (value: unknown, { language, number }: Locale): string => {
  if (typeof value === "number") return number(value)
  return language === "fa" ? isolatedText(String(value)) : String(value)
}

const between = ({ say }: Locale): string => say("; ", "؛ ")

/** The problem for people, in the visitor's language. */
export const fieldMessage = ({ code, params }: Problem, locale: Locale): string => {
  const text = checked[code] as Text | ((given: unknown, locale: Locale) => string)
  if (typeof text === "function") return text(params, locale)
  const values = new Map<string, unknown>(Object.entries(params))
  return locale
    .say(...text)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => shownParam(values.get(name), locale))
}

/** The problems of one field. */
export const fieldMessages = (problems: ReadonlyArray<Problem>, locale: Locale): string =>
  problems.map((problem) => fieldMessage(problem, locale)).join(between(locale))
