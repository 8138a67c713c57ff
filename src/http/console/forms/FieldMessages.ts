import {
  type Expected,
  type Problem,
  type ProblemTexts,
  saidWith,
  type SettingProblem
} from "../../../domain/Problem.ts"
import type { Locale } from "../frame/Locale.ts"

/** Latin text within Persian. */
const latin = (text: string): string => `\u2066${text}\u2069`

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

/** The words of the console, in both languages. `domain/ProblemTexts.ts` has those of the API. */
const words: ProblemTexts<[Locale]> = {
  required: (_, { say }) => say("This is required.", "این لازم است."),
  unknown_field: (_, { say }) => say("There is no such field.", "چنین فیلدی نیست."),
  unexpected_type: ({ expected }, locale) => typeProblem(expected, locale),
  other: ({ text }) => text,
  empty: (_, { say }) => say("This must not be empty.", "این نباید خالی باشد."),
  too_long: ({ maximum }, { say, number }) =>
    say(`Enter at most ${number(maximum)} characters.`, `حداکثر ${number(maximum)} نویسه بنویسید.`),
  too_many: ({ maximum }, { say, number }) =>
    say(
      `At most ${number(maximum)} are allowed here.`,
      `اینجا حداکثر ${number(maximum)} مورد پذیرفته می‌شود.`
    ),
  too_many_characters: ({ maximum }, { say, number }) =>
    say(`Enter at most ${number(maximum)} characters.`, `حداکثر ${number(maximum)} نویسه بنویسید.`),
  wrong_length: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter ${number(minimum)} to ${number(maximum)} characters.`,
      `${number(minimum)} تا ${number(maximum)} نویسه بنویسید.`
    ),
  not_number: (_, { say }) => say("Enter a number.", "عددی بنویسید."),
  not_integer: (_, { say }) => say("Enter a whole number.", "عددی بدون اعشار بنویسید."),
  out_of_range: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter a number from ${number(minimum)} to ${number(maximum)}.`,
      `عددی از ${number(minimum)} تا ${number(maximum)} بنویسید.`
    ),
  too_small: ({ above }, { say, number }) =>
    say(`Enter a number above ${number(above)}.`, `عددی بزرگ‌تر از ${number(above)} بنویسید.`),
  not_positive_integer: (_, { say }) =>
    say("Enter a positive whole number.", "عددی مثبت و بدون اعشار بنویسید."),
  not_digits: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter ${number(minimum)} to ${number(maximum)} digits.`,
      `${number(minimum)} تا ${number(maximum)} رقم بنویسید.`
    ),
  not_uuid: (_, { say }) =>
    say("Enter an id, as Peyk gave it.", "شناسه را همان‌گونه که پیک داده است بنویسید."),
  not_printable: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter ${number(minimum)} to ${number(maximum)} Latin letters, digits or signs, without spaces.`,
      `${number(minimum)} تا ${number(maximum)} حرف لاتین، رقم یا نشانه بنویسید، بدون فاصله.`
    ),
  not_storable: (_, { say }) =>
    say("This has characters that cannot be sent.", "نویسه‌هایی دارد که نمی‌توان فرستاد."),
  not_visible: (_, { say }) => say("Enter a text that can be seen.", "متنی بنویسید که دیده شود."),
  value_not_visible: (_, { say }) => say("Enter a text that can be seen.", "متنی بنویسید که دیده شود."),
  not_one_line: (_, { say }) =>
    say(
      "Enter one line, without control characters and without characters that change the direction of text.",
      "یک سطر بنویسید، بدون نویسه‌های کنترلی و نویسه‌هایی که جهت متن را تغییر می‌دهند."
    ),
  not_brand: ({ maximum }, { say, number }) =>
    say(
      `Enter ${number(1)} to ${number(maximum)} characters on one line, without braces.`,
      `${number(1)} تا ${number(maximum)} نویسه در یک سطر بنویسید، بدون آکولاد.`
    ),
  not_parameter: (_, { say }) => say("Enter a text, or a whole number.", "متن یا عددی بدون اعشار بنویسید."),
  not_email: (_, { say }) => say("Enter an e-mail address.", "نشانی ایمیل را بنویسید."),
  not_mobile: (_, { say }) => say("Enter an Iranian mobile number.", "شمارهٔ موبایل ایرانی بنویسید."),
  phone_required: (_, { say }) => say("Enter a phone number.", "شماره را بنویسید."),
  not_prefix: (_, { say }) =>
    say(
      "Enter the beginning of a mobile number, such as 0912345.",
      "آغاز شمارهٔ موبایل را بنویسید، مانند ۰۹۱۲۳۴۵."
    ),
  not_host_name: ({ example }, { say }) =>
    say(`Enter a host name, such as ${example}.`, `نام دامنه را بنویسید، مانند ${example}.`),
  not_ip: (_, { say }) => say("Enter an IP address.", "نشانی IP را بنویسید."),
  not_network: ({ example }, { say }) =>
    say(
      `Enter an IP address or a network, such as ${example}.`,
      `نشانی IP یا شبکه بنویسید، مانند ${example}.`
    ),
  not_date_time: (_, { say }) =>
    say("Enter a date and time.", `تاریخ و ساعت را بنویسید، مانند ${latin("۱۴۰۵/۰۹/۰۳ ۱۴:۳۰")}.`),
  not_a_year: ({ first, last }, { say }) =>
    say(`Enter a time from ${first} to ${last}.`, `زمانی از سال ${first} تا ${last} میلادی بنویسید.`),
  not_in_future: (_, { say }) => say("Enter a time in the future.", "زمانی در آینده بنویسید."),
  from_after_to: (_, { say }) =>
    say("Enter a time before the end of the period.", "زمانی پیش از پایان بازه بنویسید."),
  period_too_long: ({ days }, { say, number }) =>
    say(`Choose a period of at most ${number(days)} days.`, `بازه‌ای حداکثر ${number(days)} روزه برگزینید.`),
  one_of_two: ({ given: [one, other] }, { say }) =>
    say(`Enter ${one} or ${other}, not both.`, `${latin(one)} یا ${latin(other)} را بنویسید، نه هر دو را.`),
  star_not_alone: (_, { say }) =>
    say("Choose all events, or some, not both.", "یا همهٔ رویدادها را برگزینید یا برخی را."),
  metadata_too_long: ({ bytes }, { say, number }) =>
    say(`Enter at most ${number(bytes)} bytes of JSON.`, `حداکثر ${number(bytes)} بایت JSON بنویسید.`),
  metadata_too_large: ({ bytes, levels }, { say, number }) =>
    say(
      `Enter an object of at most ${number(bytes)} bytes of JSON, at most ${number(levels)} levels deep.`,
      `شیء JSON با حداکثر ${number(bytes)} بایت و ${number(levels)} لایه بنویسید.`
    ),

  not_utf8: (_, { say }) => say("The request is not text in UTF-8.", "درخواست متن UTF-8 نیست."),
  not_json: (_, { say }) => say("The request is not valid JSON.", "درخواست JSON درستی نیست."),
  not_empty_object: (_, { say }) => say("This takes no values.", "اینجا مقداری لازم نیست."),
  no_versions: (_, { say }) => say("This compares no versions.", "اینجا نسخه‌ها سنجیده نمی‌شوند."),
  not_an_etag: (_, { say }) =>
    say("Enter the version as it was given.", "نسخه را همان‌گونه که داده شد بنویسید."),
  not_shown_version: (_, { say }) => say("Open the page again.", "صفحه را دوباره باز کنید."),
  other_cursor: (_, { say }) => say("This page of the list is not there.", "این صفحهٔ فهرست وجود ندارد."),
  metadata_filter_form: (_, { say }) =>
    say(
      "Enter the search as metadata[key]=value.",
      `جست‌وجو را به شکل ${latin("metadata[key]=value")} بنویسید.`
    ),
  metadata_filter_key: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter a key of ${number(minimum)} to ${number(maximum)} characters.`,
      `کلیدی با ${number(minimum)} تا ${number(maximum)} نویسه بنویسید.`
    ),
  metadata_filter_twice: (_, { say }) => say("Enter one value.", "یک مقدار بنویسید."),
  metadata_filters: ({ maximum }, { say, number }) =>
    say(`Enter at most ${number(maximum)} keys.`, `حداکثر ${number(maximum)} کلید بنویسید.`),
  address_refused: ({ problem }, locale) => fieldMessage(problem, locale),
  not_http_url: ({ maximum }, { say, number }) =>
    say(
      `Enter an http or https address of at most ${number(maximum)} characters, without credentials or fragment.`,
      `نشانی http یا https با حداکثر ${number(maximum)} نویسه بنویسید، بدون نام کاربری، گذرواژه و بخش پس از #.`
    ),
  not_https: ({ unless }, { say }) =>
    say(
      `The address must begin with https://, unless this installation has ${unless}=true.`,
      `نشانی باید با ${latin("https://")} آغاز شود، مگر آنکه این نصب ${latin(`${unless}=true`)} داشته باشد.`
    ),
  private_network: ({ unless }, { say }) =>
    say(
      `The address must not lead into a private network, unless this installation has ${unless}=true.`,
      `نشانی نباید به شبکه‌ای خصوصی برسد، مگر آنکه این نصب ${latin(`${unless}=true`)} داشته باشد.`
    ),

  settings_refused: ({ problems }, locale) => problems.map(settingMessage(locale)).join(between(locale)),
  setting_missing: (_, { say }) => say("This is required.", "این لازم است."),
  setting_unknown: (_, { say }) =>
    say("This provider has no such setting.", "این سرویس‌دهنده چنین تنظیمی ندارد."),
  setting_not_allowed: (_, { say }) => say("This value is not allowed.", "این مقدار پذیرفته نمی‌شود."),
  setting_not_printable: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter ${number(minimum)} to ${number(maximum)} Latin letters, digits or signs, without spaces.`,
      `${number(minimum)} تا ${number(maximum)} حرف لاتین، رقم یا نشانه بنویسید، بدون فاصله.`
    ),
  setting_has_spaces: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter ${number(minimum)} to ${number(maximum)} characters, without spaces.`,
      `${number(minimum)} تا ${number(maximum)} نویسه بنویسید، بدون فاصله.`
    ),
  setting_has_hash: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter ${number(minimum)} to ${number(maximum)} characters, without spaces and #.`,
      `${number(minimum)} تا ${number(maximum)} نویسه بنویسید، بدون فاصله و #.`
    ),
  setting_not_digits: ({ minimum, maximum }, { say, number }) =>
    say(
      `Enter ${number(minimum)} to ${number(maximum)} digits.`,
      `${number(minimum)} تا ${number(maximum)} رقم بنویسید.`
    ),
  setting_not_number: (_, { say }) =>
    say("Enter a positive whole number.", "عددی مثبت و بدون اعشار بنویسید."),
  setting_not_iranian: (_, { say }) =>
    say("Begin with +98, and enter digits only.", "با ‎+98 آغاز کنید و تنها رقم بنویسید."),
  setting_not_username: (_, { say }) =>
    say("Enter the username of a channel.", "نام کاربری یک کانال را بنویسید."),
  setting_not_secret: ({ minimum, maximum, prefix }, { say, number }) =>
    say(
      `Enter ${number(minimum)} to ${number(maximum)} bytes in base64, with or without ${prefix} before them.`,
      `${number(minimum)} تا ${number(maximum)} بایت به شکل base64 بنویسید، با ${prefix} پیش از آن یا بدون آن.`
    ),
  simulator_off: (_, { say }) =>
    say("The simulator is switched off (PEYK_SIMULATOR).", `شبیه‌ساز خاموش است (${latin("PEYK_SIMULATOR")}).`),

  provider_required: (_, { say }) =>
    say("Choose a channel and a provider.", "کانال و سرویس‌دهنده را برگزینید."),
  provider_unknown: ({ provider, known }, { say }) =>
    say(
      `There is no provider ${provider}; there are: ${known.join(", ")}.`,
      `سرویس‌دهندهٔ ${latin(provider)} نیست؛ اینها هستند: ${latin(known.join(", "))}.`
    ),
  provider_gone: ({ provider }, { say }) =>
    say(`There is no provider ${provider}.`, `سرویس‌دهندهٔ ${latin(provider)} نیست.`),
  provider_refuses: ({ reason }, { say }) =>
    say(
      `The provider refuses the account: ${reason} (untick the check to save it anyway)`,
      `سرویس‌دهنده حساب را نمی‌پذیرد: ${reason} (برای ذخیره با این همه، تیک بررسی را بردارید)`
    ),
  channel_not_served: ({ provider, channel, served }, { say }) =>
    say(
      `The provider ${provider} does not serve ${channel}, but: ${served.join(", ")}.`,
      `سرویس‌دهندهٔ ${latin(provider)} کانال ${latin(channel)} را ندارد؛ اینها را دارد: ${latin(served.join(", "))}.`
    ),
  codes_over_telegram: (_, { say }) =>
    say(
      "Codes over Telegram need an account of Telegram Gateway; a bot sends messages only.",
      "کد در تلگرام حساب Telegram Gateway می‌خواهد؛ بات تنها پیام می‌فرستد."
    ),
  texts_over_telegram: (_, { say }) =>
    say(
      "Messages over Telegram need a bot; Telegram Gateway sends codes only.",
      "پیام در تلگرام بات می‌خواهد؛ Telegram Gateway تنها کد می‌فرستد."
    ),
  shared_sms_account: (_, { say }) => say("There are no shared SMS accounts.", "پیامک حساب اشتراکی ندارد."),
  shared_default: (_, { say }) =>
    say("A shared account cannot be a default.", "حساب اشتراکی نمی‌تواند پیش‌فرض باشد."),
  account_twice: (_, { say }) => say("An account is chosen twice.", "حسابی دو بار انتخاب شده است."),
  account_unknown: (_, { say }) =>
    say("One of the accounts is no longer connected.", "یکی از حساب‌ها دیگر وصل نیست."),
  account_on_channel: ({ account, channel }, { say, number }) =>
    say(
      `Account ${number(account)} is on ${channel}.`,
      `حساب ${number(account)} در کانال ${latin(channel)} است.`
    ),
  account_sends_no_codes: ({ account }, { say, number }) =>
    say(`Account ${number(account)} sends no codes.`, `حساب ${number(account)} کد نمی‌فرستد.`),
  account_stands_by_itself: (_, { say }) =>
    say("The account would stand by for itself.", "حساب پشتیبان خودش می‌شد."),
  account_in_routing: (_, { say }) =>
    say("A step of the routing order names it.", "گامی از مسیر ارسال آن را نام می‌برد."),
  account_in_codes: (_, { say }) =>
    say("A code that is under way may still use it.", "شاید کدی که در راه است آن را به کار ببرد."),
  account_in_messages: (_, { say }) =>
    say("A message that is under way may still use it.", "شاید پیامی که در راه است آن را به کار ببرد."),
  account_without_contacts: (_, { say }) =>
    say("This account reaches phones without contacts.", "این حساب بدون مخاطب‌ها به شماره‌ها می‌رسد."),
  account_without_inbox: (_, { say }) => say("Nobody writes to this account.", "کسی به این حساب نمی‌نویسد."),
  account_not_simulated: (_, { say }) => say("This account is not simulated.", "این حساب شبیه‌سازی نیست."),

  not_chat_id: (_, { say }) =>
    say(
      "Enter the id of the chat as the platform writes it.",
      "شناسهٔ گفتگو را همان‌گونه که پیام‌رسان می‌نویسد وارد کنید."
    ),
  no_contacts: (_, { say }) =>
    say("There is no line with a phone and a chat id.", "سطری با شماره و شناسهٔ گفتگو نیست."),
  too_many_lines: ({ maximum }, { say, number }) =>
    say(`Enter at most ${number(maximum)} lines.`, `حداکثر ${number(maximum)} سطر بنویسید.`),
  file_not_utf8: (_, { say }) =>
    say(
      "This is not text in UTF-8. Save the file as CSV UTF-8.",
      "این متن UTF-8 نیست. پرونده را با قالب CSV UTF-8 ذخیره کنید."
    ),
  file_without_columns: ({ columns: [one, other] }, { say }) =>
    say(
      `The first line has to name the columns ${one} and ${other}.`,
      `سطر نخست باید ستون‌های ${one} و ${other} را نام ببرد.`
    ),
  file_rounded: (_, { say }) =>
    say(
      "Every long chat id ends in zeros: a spreadsheet keeps 15 digits of a number. Export the ids again, as text.",
      "همهٔ شناسه‌های بلند به صفر پایان می‌یابند: صفحه‌گسترده ۱۵ رقم عدد را نگه می‌دارد. شناسه‌ها را به شکل متن بگیرید."
    ),
  line_not_mobile: ({ line }, { say, number }) =>
    say(
      `line ${number(line)} is not an Iranian mobile number`,
      `سطر ${number(line)} شمارهٔ موبایل ایرانی ندارد`
    ),
  line_chat_unusable: ({ line }, { say, number }) =>
    say(`line ${number(line)} has no usable chat_id`, `سطر ${number(line)} شناسهٔ گفتگوی درستی ندارد`),
  line_chat_rewritten: ({ line }, { say, number }) =>
    say(
      `line ${number(line)} has a chat id that a spreadsheet has rewritten: format its column as text`,
      `سطر ${number(line)} شناسهٔ گفتگویی دارد که صفحه‌گسترده آن را تغییر داده است؛ ستونش را متن کنید`
    ),
  line_quote: ({ line }, { say, number }) => {
    const at = line === null ? "?" : number(line)
    return say(
      `line ${at} has a quote that is not closed, or inside a field`,
      `سطر ${at} نشان نقل‌قولی دارد که بسته نشده یا میان فیلد آمده است`
    )
  },
  more: ({ count }, { say, number }) => say(`and ${number(count)} more`, `و ${number(count)} مورد دیگر`),

  channel_required: (_, { say }) => say("Choose a channel.", "کانالی برگزینید."),
  provider_not_sms: (_, { say }) => say("Only SMS has a provider.", "تنها پیامک سرویس‌دهنده دارد."),
  sms_not_shared: (_, { say }) => say("SMS has no shared sender.", "پیامک فرستندهٔ اشتراکی ندارد."),
  shared_by_account: (_, { say }) =>
    say("A shared sender is not chosen by account.", "فرستندهٔ اشتراکی با حساب انتخاب نمی‌شود."),
  sms_template: (_, { say }) =>
    say(
      "SMS uses the template that is registered at its provider.",
      "متن پیامک همان قالبی است که نزد سرویس‌دهنده ثبت شده است."
    ),
  step_account_unknown: (_, { say }) =>
    say("One of the accounts is no longer connected.", "یکی از حساب‌ها دیگر وصل نیست."),

  template_off: (_, { say }) => say("The template is switched off.", "قالب خاموش است."),
  template_braces: (_, { say }) =>
    say("The text has braces that are no placeholder.", "در متن آکولادی هست که جای‌نما نیست."),
  template_without_code: (_, { say }) =>
    say("The text does not contain {{code}}.", `متن ${latin("{{code}}")} را ندارد.`),
  template_placeholder: ({ name }, { say }) =>
    say(`A code has no {{${name}}}.`, `کد ${latin(`{{${name}}}`)} ندارد.`),
  template_in_routing: (_, { say }) =>
    say("A step of the routing order names it.", "گامی از مسیر ارسال آن را نام می‌برد."),

  key_not_active: (_, { say }) => say("The key is no longer active.", "کلید دیگر فعال نیست."),
  webhook_disabled: (_, { say }) => say("The webhook is switched off.", "وب‌هوک خاموش است."),
  webhook_not_subscribed: (_, { say }) =>
    say(
      "The webhook does not take events of this type any more.",
      "وب‌هوک دیگر رویدادهایی از این نوع را نمی‌گیرد."
    ),
  too_many_webhooks: ({ maximum }, { say, number }) =>
    say(`There are ${number(maximum)} webhooks already.`, `پیش‌تر ${number(maximum)} وب‌هوک ساخته شده است.`),
  lists_full: ({ maximum }, { say, number }) =>
    say(`The lists already have ${number(maximum)} entries.`, `فهرست‌ها ${number(maximum)} مورد دارند.`),
  no_owner: (_, { say }) => say("The account would have no owner.", "حساب بدون مالک می‌ماند."),
  email_taken: (_, { say }) => say("This address is in use already.", "این نشانی پیش‌تر به کار رفته است."),
  operator_role: (_, { say }) => say("An operator has no other role.", "گرداننده نقش دیگری ندارد."),
  password_needs_sign_in: (_, { say }) =>
    say(
      "Sign out and in again first: this needs a sign-in of the last 10 minutes",
      "نخست خارج و دوباره وارد شوید: این کار ورودی از ۱۰ دقیقهٔ گذشته می‌خواهد"
    ),
  stale_sign_in: (_, { say }) =>
    say(
      "Sign out and in again first: this needs a sign-in of the last 10 minutes, by yourself. If you came by a link, choose a password and sign in with it.",
      "نخست خارج و دوباره وارد شوید: این کار ورودِ خودتان در ۱۰ دقیقهٔ گذشته را می‌خواهد. اگر با پیوند آمده‌اید، گذرواژه‌ای برگزینید و با آن وارد شوید."
    )
}

const between = ({ say }: Locale): string => say("; ", "؛ ")

/** The problem for people, in the visitor's language. */
export const fieldMessage = (problem: Problem, locale: Locale): string => saidWith(words, problem, locale)

/** The problems of one field. */
export const fieldMessages = (problems: ReadonlyArray<Problem>, locale: Locale): string =>
  problems.map((problem) => fieldMessage(problem, locale)).join(between(locale))
