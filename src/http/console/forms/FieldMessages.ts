import type { Problem, ProblemCode, ProblemParams, SettingProblem } from "../../../domain/Problem.ts"
import { persianDigits } from "../../../domain/text/PastedText.ts"
import type { Locale } from "../frame/Locale.ts"
import { isolatedText } from "../parts/Text.ts"
import { clockError, shownParam, type Text, typeProblem } from "./ProblemValues.ts"

const settingMessage =
  (locale: Locale) =>
  ({ setting, problem }: SettingProblem): string =>
    setting === null ? fieldMessage(problem, locale) : `${setting}: ${fieldMessage(problem, locale)}`

/** The texts of the console. `domain/ProblemTexts.ts` has those of the API. */
const texts = {
  required: ["This field is required.", "این فیلد الزامی است."],
  unknown_field: ["Unknown field.", "فیلد ناشناخته است."],
  unexpected_type: ({ expected }, locale) => typeProblem(expected, locale),
  other: ({ text }) => text,
  empty: ["This must not be empty.", "این فیلد نباید خالی باشد."],
  too_long: ["Enter at most {maximum} characters.", "حداکثر {maximum} نویسه وارد کنید."],
  too_many: ["At most {maximum} are allowed.", "حداکثر {maximum} مورد مجاز است."],
  too_many_characters: ["Enter at most {maximum} characters.", "حداکثر {maximum} نویسه وارد کنید."],
  wrong_length: ["Enter {minimum} to {maximum} characters.", "{minimum} تا {maximum} نویسه وارد کنید."],
  not_number: ["Enter a number.", "عددی وارد کنید."],
  not_integer: ["Enter a whole number.", "یک عدد صحیح وارد کنید."],
  out_of_range: ["Enter a number from {minimum} to {maximum}.", "عددی بین {minimum} تا {maximum} وارد کنید."],
  too_small: ["Enter a number above {above}.", "عددی بزرگ‌تر از {above} وارد کنید."],
  not_positive_integer: ["Enter a positive whole number.", "یک عدد صحیح مثبت وارد کنید."],
  not_digits: ["Enter {minimum} to {maximum} digits.", "{minimum} تا {maximum} رقم وارد کنید."],
  not_uuid: ["Enter an id from Peyk.", "شناسه را همان‌طور که پیک داده است وارد کنید."],
  not_printable: [
    "Enter {minimum} to {maximum} Latin letters, digits or symbols, without spaces.",
    "{minimum} تا {maximum} حرف لاتین، رقم یا نماد وارد کنید، بدون فاصله."
  ],
  not_storable: ["This has characters that cannot be sent.", "نویسه‌ای دارد که قابل ارسال نیست."],
  not_visible: ["Enter visible text.", "متنی وارد کنید که دیده شود."],
  value_not_visible: ["Enter visible text.", "متنی وارد کنید که دیده شود."],
  not_one_line: [
    "Enter one line, without control characters or characters that change the direction of text.",
    "فقط یک سطر وارد کنید، بدون نویسه‌های کنترلی و نویسه‌هایی که جهت متن را عوض می‌کنند."
  ],
  not_brand: ({ maximum }, { say, number }) =>
    say(
      `Enter ${number(1)} to ${number(maximum)} characters on one line, without braces.`,
      `${number(1)} تا ${number(maximum)} نویسه در یک سطر وارد کنید، بدون آکولاد.`
    ),
  not_parameter: ["Enter text or a whole number.", "متن یا یک عدد صحیح وارد کنید."],
  not_email: ["Enter an email address.", "نشانی ایمیل را وارد کنید."],
  not_mobile: ["Enter an Iranian mobile number.", "یک شمارهٔ موبایل ایران وارد کنید."],
  phone_required: ["Enter a phone number.", "شماره را وارد کنید."],
  not_prefix: [
    "Enter the first digits of a mobile number, such as 0912345.",
    "رقم‌های اول شمارهٔ موبایل را وارد کنید، مثل ۰۹۱۲۳۴۵."
  ],
  not_host_name: ["Enter a host name, such as {example}.", "نام دامنه را وارد کنید، مثل {example}."],
  not_site_origin: [
    "Enter sites without port and path, such as {example}.",
    "سایت‌ها را بدون درگاه و مسیر وارد کنید، مثل {example}."
  ],
  not_app_hash: ({ characters }, { say, number }) =>
    say(
      `Enter the ${number(characters)} characters of the hash: Latin letters, digits, + and /.`,
      `${number(characters)} نویسهٔ هش را وارد کنید: حروف لاتین، رقم، + و /.`
    ),
  origin_not_saved: ["Enter one of the saved sites.", "یکی از سایت‌های ذخیره‌شده را وارد کنید."],
  not_ip: ["Enter an IP address.", "نشانی IP را وارد کنید."],
  not_a_month: ["Enter a month, such as {example}.", "ماه را وارد کنید، مثل {example}."],
  not_time_zone: ["Enter a time zone, such as {example}.", "منطقهٔ زمانی را وارد کنید، مثل {example}."],
  not_network: [
    "Enter an IP address or a network, such as {example}.",
    "نشانی IP یا شبکه وارد کنید، مثل {example}."
  ],
  not_date_time: (_, { say }) =>
    say("Enter a date and time.", `تاریخ و ساعت را وارد کنید، مثل ${isolatedText("۱۴۰۵/۰۹/۰۳ ۱۴:۳۰")}.`),
  not_a_year: ({ first, last }, { say }) =>
    say(`Enter a time from ${first} to ${last}.`, `زمانی از سال ${first} تا ${last} میلادی وارد کنید.`),
  not_in_future: ["Enter a time in the future.", "زمانی در آینده را وارد کنید."],
  from_after_to: ["Enter a time before the end of the period.", "زمانی قبل از پایان بازه وارد کنید."],
  period_too_long: ["Choose a period of at most {days} days.", "یک بازهٔ حداکثر {days} روزه انتخاب کنید."],
  one_of_two: ({ given: [one, other] }, { say }) =>
    say(
      `Enter ${one} or ${other}, not both.`,
      `${isolatedText(one)} یا ${isolatedText(other)} را وارد کنید، نه هر دو را.`
    ),
  star_not_alone: [
    "Choose all events or some of them, not both.",
    "یا همهٔ رویدادها را انتخاب کنید یا چند تا را."
  ],
  metadata_too_long: ["Enter at most {bytes} bytes of JSON.", "حداکثر {bytes} بایت JSON وارد کنید."],
  metadata_too_large: [
    "Enter an object of at most {bytes} bytes of JSON, at most {levels} levels deep.",
    "شیء JSON با حداکثر {bytes} بایت و {levels} لایه وارد کنید."
  ],

  not_utf8: ["The request is not UTF-8 text.", "درخواست متن UTF-8 نیست."],
  not_json: ["The request is not valid JSON.", "درخواست JSON معتبر نیست."],
  not_empty_object: ["No values are expected here.", "اینجا مقداری لازم نیست."],
  no_versions: ["Versions are not compared here.", "اینجا نسخه‌ها مقایسه نمی‌شوند."],
  not_an_etag: ["Enter the version as it was given.", "نسخه را همان‌طور که داده شده وارد کنید."],
  not_shown_version: ["Open the page again.", "صفحه را دوباره باز کنید."],
  other_cursor: ["This page of the list does not exist.", "این صفحهٔ فهرست وجود ندارد."],
  metadata_filter_form: (_, { say }) =>
    say("Enter metadata[key]=value.", `جست‌وجو را به شکل ${isolatedText("metadata[key]=value")} وارد کنید.`),
  metadata_filter_key: [
    "Enter a key of {minimum} to {maximum} characters.",
    "کلیدی با {minimum} تا {maximum} نویسه وارد کنید."
  ],
  metadata_filter_twice: ["Enter one value.", "یک مقدار وارد کنید."],
  metadata_filters: ["Enter at most {maximum} keys.", "حداکثر {maximum} کلید وارد کنید."],
  address_refused: ({ problem }, locale) => fieldMessage(problem, locale),
  not_http_url: [
    "Enter an http or https address of at most {maximum} characters, without credentials or fragment.",
    "نشانی http یا https با حداکثر {maximum} نویسه وارد کنید، بدون نام کاربری، گذرواژه و بخش بعد از #."
  ],
  not_https: ({ unless }, { say }) =>
    say(
      `The address must begin with https://, unless ${unless}=true is set.`,
      `نشانی باید با ${isolatedText("https://")} شروع شود، مگر این که ${isolatedText(`${unless}=true`)} تنظیم شده باشد.`
    ),
  private_network: ({ unless }, { say }) =>
    say(
      `The address must not be in a private network, unless ${unless}=true is set.`,
      `نشانی نباید در شبکهٔ خصوصی باشد، مگر این که ${isolatedText(`${unless}=true`)} تنظیم شده باشد.`
    ),

  settings_refused: ({ problems }, locale) => problems.map(settingMessage(locale)).join(between(locale)),
  settings_twice: [
    "Change some settings, or replace all.",
    "یا بعضی از تنظیمات را تغییر دهید یا همه را عوض کنید."
  ],
  setting_missing: ["This field is required.", "این فیلد الزامی است."],
  setting_unknown: ["This provider does not have this setting.", "این سرویس‌دهنده این تنظیم را ندارد."],
  setting_not_allowed: ["This value is not allowed.", "این مقدار مجاز نیست."],
  setting_not_printable: [
    "Enter {minimum} to {maximum} Latin letters, digits or symbols, without spaces.",
    "{minimum} تا {maximum} حرف لاتین، رقم یا نماد وارد کنید، بدون فاصله."
  ],
  setting_has_spaces: [
    "Enter {minimum} to {maximum} characters, without spaces.",
    "{minimum} تا {maximum} نویسه وارد کنید، بدون فاصله."
  ],
  setting_has_hash: [
    "Enter {minimum} to {maximum} characters, without spaces and #.",
    "{minimum} تا {maximum} نویسه وارد کنید، بدون فاصله و #."
  ],
  setting_not_digits: ["Enter {minimum} to {maximum} digits.", "{minimum} تا {maximum} رقم وارد کنید."],
  setting_not_number: ["Enter a positive whole number.", "یک عدد صحیح مثبت وارد کنید."],
  setting_not_iranian: ["Begin with +98, and enter digits only.", "با ‎+98 شروع کنید و فقط رقم وارد کنید."],
  setting_not_username: ["Enter the username of a channel.", "نام کاربری یک کانال را وارد کنید."],
  setting_not_secret: [
    "Enter {minimum} to {maximum} bytes in base64, with or without {prefix} before them.",
    "{minimum} تا {maximum} بایت به شکل base64 وارد کنید، با پیشوند {prefix} یا بدون آن."
  ],
  simulator_off: (_, { say }) =>
    say(
      "The simulator is disabled (PEYK_SIMULATOR).",
      `شبیه‌ساز غیرفعال است (${isolatedText("PEYK_SIMULATOR")}).`
    ),

  provider_required: ["Choose a channel and a provider.", "کانال و سرویس‌دهنده را انتخاب کنید."],
  provider_unknown: ({ provider, known }, { say }) =>
    say(
      `Unknown provider ${provider}. Choose one of: ${known.join(", ")}.`,
      `سرویس‌دهندهٔ ${isolatedText(provider)} وجود ندارد؛ یکی از این‌ها را انتخاب کنید: ${isolatedText(known.join(", "))}.`
    ),
  provider_gone: ["Unknown provider {provider}.", "سرویس‌دهندهٔ {provider} وجود ندارد."],
  provider_refuses: ({ reason }, { say }) =>
    say(
      `The provider refuses the account: ${reason}. To save it anyway, untick the check.`,
      `سرویس‌دهنده حساب را قبول نمی‌کند: ${reason}. اگر باز هم می‌خواهید ذخیره شود، تیک بررسی را بردارید.`
    ),
  channel_not_served: ({ provider, channel, served }, { say }) =>
    say(
      `The provider ${provider} does not serve ${channel}. It serves: ${served.join(", ")}.`,
      `سرویس‌دهندهٔ ${isolatedText(provider)} کانال ${isolatedText(channel)} را ندارد؛ کانال‌هایش: ${isolatedText(served.join(", "))}.`
    ),
  codes_over_telegram: [
    "Codes over Telegram need a Telegram Gateway account. A bot sends messages only.",
    "برای ارسال کد در تلگرام حساب Telegram Gateway لازم است؛ ربات فقط پیام می‌فرستد."
  ],
  texts_over_telegram: [
    "Messages over Telegram need a bot. Telegram Gateway sends codes only.",
    "برای ارسال پیام در تلگرام ربات لازم است؛ Telegram Gateway فقط کد می‌فرستد."
  ],
  shared_sms_account: ["SMS accounts cannot be shared.", "حساب پیامکی نمی‌تواند مشترک باشد."],
  shared_default: ["A shared account cannot be a default.", "حساب مشترک نمی‌تواند پیش‌فرض باشد."],
  account_twice: ["An account is chosen twice.", "یک حساب دو بار انتخاب شده است."],
  account_unknown: ["One of the accounts is no longer connected.", "یکی از حساب‌ها دیگر وصل نیست."],
  account_on_channel: ["Account {account} is on {channel}.", "حساب {account} در کانال {channel} است."],
  account_sends_no_codes: ["Account {account} sends no codes.", "حساب {account} کد نمی‌فرستد."],
  account_stands_by_itself: ["An account cannot be its own standby.", "یک حساب نمی‌تواند جایگزین خودش باشد."],
  account_in_routing: ["The routing order uses it.", "در ترتیب ارسال از آن استفاده شده است."],
  account_in_codes: [
    "A code in progress may still use it.",
    "شاید کدی که در حال انجام است هنوز به آن نیاز داشته باشد."
  ],
  account_in_messages: [
    "A message in progress may still use it.",
    "شاید پیامی که در حال انجام است هنوز به آن نیاز داشته باشد."
  ],
  account_without_contacts: ["This account needs no contacts.", "این حساب به مخاطب نیاز ندارد."],
  account_without_inbox: ["This account receives no messages.", "این حساب پیامی دریافت نمی‌کند."],
  account_not_simulated: ["This account is not simulated.", "این حساب شبیه‌سازی‌شده نیست."],

  not_chat_id: [
    "Enter the chat id from the messenger.",
    "شناسهٔ گفت‌وگو را همان‌طور که پیام‌رسان نشان می‌دهد وارد کنید."
  ],
  no_contacts: ["No line has a phone and a chat id.", "هیچ سطری شماره و شناسهٔ گفت‌وگو ندارد."],
  too_many_lines: ["Enter at most {maximum} lines.", "حداکثر {maximum} سطر وارد کنید."],
  file_not_utf8: [
    "This is not UTF-8 text. Save the file as CSV UTF-8.",
    "این متن UTF-8 نیست. فایل را با فرمت CSV UTF-8 ذخیره کنید."
  ],
  file_without_columns: ({ columns: [one, other] }, { say }) =>
    say(
      `The first line must name the columns ${one} and ${other}.`,
      `سطر اول باید ستون‌های ${one} و ${other} را داشته باشد.`
    ),
  file_rounded: [
    "Every long chat id ends in zeros: a spreadsheet keeps 15 digits of a number. Export the ids again, as text.",
    "همهٔ شناسه‌های بلند به صفر ختم می‌شوند: اکسل فقط ۱۵ رقم عدد را نگه می‌دارد. شناسه‌ها را به صورت متن خروجی بگیرید."
  ],
  line_not_mobile: ["line {line} is not an Iranian mobile number", "سطر {line} شمارهٔ موبایل ایرانی ندارد"],
  line_chat_unusable: ["line {line} has no usable chat_id", "سطر {line} شناسهٔ گفت‌وگوی درستی ندارد"],
  line_chat_rewritten: [
    "line {line} has a chat id that a spreadsheet has rewritten: format its column as text",
    "اکسل شناسهٔ گفت‌وگوی سطر {line} را تغییر داده است؛ نوع ستون را متن بگذارید"
  ],
  line_quote: ({ line }, { say, number }) => {
    const at = line === null ? "?" : number(line)
    return say(
      `line ${at} has a quote that is not closed, or inside a field`,
      `سطر ${at} گیومه‌ای (") دارد که بسته نشده یا وسط فیلد است`
    )
  },
  more: ["and {count} more", "و {count} مورد دیگر"],

  channel_required: ["Choose a channel.", "یک کانال انتخاب کنید."],
  provider_not_sms: ["Only SMS takes a provider.", "فقط برای پیامک می‌توان سرویس‌دهنده تعیین کرد."],
  sms_not_shared: ["SMS has no shared sender.", "پیامک فرستندهٔ مشترک ندارد."],
  shared_by_account: ["A shared sender takes no account.", "برای فرستندهٔ مشترک نمی‌توان حساب تعیین کرد."],
  sms_template: [
    "SMS uses the template that is registered at its provider.",
    "متن پیامک همان قالبی است که در پنل سرویس‌دهنده ثبت شده است."
  ],
  voice_template: ["Calls take no template.", "برای تماس نمی‌توان قالب تعیین کرد."],
  steps_only_on_request: ["At least one step is tried by itself.", "دست‌کم یک گام باید خودبه‌خود امتحان شود."],
  step_account_unknown: ["One of the accounts is no longer connected.", "یکی از حساب‌ها دیگر وصل نیست."],

  template_off: ["The template is disabled.", "قالب غیرفعال است."],
  template_braces: ["The text has braces that are not a placeholder.", "در متن آکولادی هست که متغیر نیست."],
  template_without_code: (_, { say }) =>
    say("The text does not contain {{code}}.", `متن ${isolatedText("{{code}}")} را ندارد.`),
  template_placeholder: ({ name }, { say }) =>
    say(
      `A text for codes cannot contain {{${name}}}.`,
      `متن کد نمی‌تواند ${isolatedText(`{{${name}}}`)} داشته باشد.`
    ),
  too_many_views: [
    "There are {maximum} saved views already. Delete one first.",
    "{maximum} نما ذخیره شده است. اول یکی را حذف کنید."
  ],
  view_exists: ["Another view of this page has this name.", "نمای دیگری از این صفحه همین نام را دارد."],
  template_in_routing: ["The routing order uses it.", "در ترتیب ارسال از آن استفاده شده است."],

  key_not_active: ["The key is no longer active.", "کلید دیگر فعال نیست."],
  webhook_disabled: ["The webhook is disabled.", "وب‌هوک غیرفعال است."],
  webhook_not_subscribed: [
    "The webhook no longer receives events of this type.",
    "این وب‌هوک دیگر رویدادهای این نوع را نمی‌گیرد."
  ],
  too_many_webhooks: [
    "You already have {maximum} webhooks, the maximum.",
    "{maximum} وب‌هوک دارید و بیشتر از این نمی‌شود ساخت."
  ],
  too_many_listeners: [
    "{maximum} programs are listening already, the maximum.",
    "{maximum} برنامه در حال گوش دادن است و بیشتر از این نمی‌شود."
  ],
  lists_full: [
    "The lists already have {maximum} entries, the maximum.",
    "فهرست‌ها {maximum} مورد دارند و بیشتر جا ندارند."
  ],
  no_owner: ["The account needs at least one owner.", "حساب باید حداقل یک مالک داشته باشد."],
  email_taken: ["This email address is already in use.", "این ایمیل قبلاً استفاده شده است."],
  operator_role: ["An operator cannot have another role.", "مدیر سامانه نقش دیگری نمی‌گیرد."],
  password_needs_sign_in: [
    "Sign out and in again first: this needs a sign-in of the last 10 minutes",
    "اول خارج و دوباره وارد شوید: برای این کار باید در ۱۰ دقیقهٔ گذشته وارد شده باشید"
  ],
  stale_sign_in: [
    "Sign out and in again first: this needs a sign-in of the last 10 minutes, by yourself. If you came by a link, choose a password and sign in with it.",
    "اول خارج و دوباره وارد شوید: برای این کار باید خودتان در ۱۰ دقیقهٔ گذشته وارد شده باشید. اگر با لینک آمده‌اید، گذرواژه‌ای انتخاب کنید و با آن وارد شوید."
  ],
  not_time_of_day: ({ example }, { say }) =>
    say(`Enter a time of the day, such as ${example}.`, `ساعت را وارد کنید، مثل ${persianDigits(example)}.`),
  from_is_until: ["Enter two different times.", "دو ساعت متفاوت وارد کنید."],
  one_recipient: [
    "Enter a user, an email address or a phone: one of them.",
    "یک کاربر، یک ایمیل یا یک شماره وارد کنید: فقط یکی."
  ],
  recipient_not_operator: [
    "Operators get alerts by email only.",
    "اعلان‌های مدیر سامانه فقط با ایمیل فرستاده می‌شود."
  ],
  recipient_unknown_user: ["Choose one of the users.", "یکی از کاربران را انتخاب کنید."],
  recipient_taken: ["This recipient is already in the list.", "این گیرنده در فهرست هست."],
  recipient_not_confirmed: [
    "This address is not confirmed yet: enter its code first.",
    "این نشانی هنوز تأیید نشده است: اول کد آن را وارد کنید."
  ],
  too_many_recipients: [
    "You already have {maximum} recipients, the maximum.",
    "{maximum} گیرنده دارید و بیشتر از این نمی‌شود افزود."
  ],
  too_many_alert_codes: [
    "{maximum} codes were already sent in the last hour. Try again later.",
    "در یک ساعت گذشته {maximum} کد فرستاده شده است. بعداً دوباره امتحان کنید."
  ],
  too_many_alert_tests: [
    "{maximum} test alerts were already sent in the last hour. Try again later.",
    "در یک ساعت گذشته {maximum} اعلان آزمایشی فرستاده شده است. بعداً دوباره امتحان کنید."
  ],
  alert_mail_off: (_, { say }) =>
    say(
      "Email is not set up on this installation (PEYK_SMTP_URL).",
      `ایمیل در این سامانه راه‌اندازی نشده است (${isolatedText("PEYK_SMTP_URL")}).`
    ),
  alert_code_not_sent: ["The code was not sent: {reason}", "کد فرستاده نشد: {reason}"],
  alert_code_wrong: ["The code is wrong.", "کد درست نیست."],
  alert_code_ended: [
    "The code is no longer valid: remove the recipient and add it again.",
    "این کد دیگر معتبر نیست: گیرنده را حذف کنید و دوباره بیفزایید."
  ],

  factor_wrong: [
    "This is not the code that the app shows now. Enter the next one.",
    "این کد همان نیست که برنامه الان نشان می‌دهد. کد بعدی را وارد کنید."
  ],
  clock_off: ({ minutes }, { say, number }) => {
    const [english, persian] = clockError(Math.abs(minutes), number)
    const isFast = minutes > 0
    return say(
      `The clock of your phone is ${english} ${isFast ? "fast" : "slow"}. Iran has had no summer time since 2022: turn on automatic date and time on the phone, with the zone Tehran, and enter the next code.`,
      `ساعت گوشی شما ${persian} ${isFast ? "جلو" : "عقب"} است. از ۱۴۰۲ ساعت تابستانی در ایران نیست: در گوشی تاریخ و ساعت خودکار را با منطقهٔ تهران روشن کنید و کد بعدی را وارد کنید.`
    )
  },
  factor_form_expired: [
    "This page was open for too long. Begin again.",
    "این صفحه خیلی وقت باز مانده است. دوباره شروع کنید."
  ],
  factor_needed: [
    "This is your only second factor, and your account requires one. Add another one first.",
    "برای مرحلهٔ دوم ورود فقط همین یکی را دارید و حساب شما به آن نیاز دارد. اول یکی دیگر اضافه کنید."
  ],
  passkey_refused: [
    "The passkey was not accepted. Try again in this browser.",
    "گذرکلید پذیرفته نشد. در همین مرورگر دوباره امتحان کنید."
  ],
  passkey_known: ["This passkey is already in use.", "این گذرکلید قبلاً ثبت شده است."],
  too_many_passkeys: [
    "You already have {maximum} passkeys, the maximum.",
    "{maximum} گذرکلید دارید و بیشتر از این نمی‌شود اضافه کرد."
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
