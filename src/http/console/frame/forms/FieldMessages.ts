import type { Locale } from "../Locale.ts"

/** What schemas and use cases report of a field, in words for people; `$1` is a part of the report. */
const messages: ReadonlyArray<readonly [report: RegExp, english: string, persian: string]> = [
  [/^(?:is missing|is required|Expected string)$/, "This is required.", "این لازم است."],
  [/^must not be empty$/, "This must not be empty.", "این نباید خالی باشد."],
  [
    /^Expected "[^"]*"(?: \| "[^"]*")+(?: \| null)?$/,
    "Choose one of the offered values.",
    "یکی از گزینه‌ها را برگزینید."
  ],

  [
    /^Expected number \| "measured"$/,
    "Enter seconds, or the word measured.",
    "ثانیه‌ها یا واژهٔ measured را بنویسید."
  ],
  [/^Expected (?:number(?: \| null)?|an integer)$/, "Enter a whole number.", "عددی بدون اعشار بنویسید."],
  [/^must be a positive whole number$/, "Enter a positive whole number.", "عددی مثبت و بدون اعشار بنویسید."],
  [
    /^Expected a value between (\d+) and (\d+)$/,
    "Enter a number from $1 to $2.",
    "عددی از $1 تا $2 بنویسید."
  ],
  [/^must be (\d+) to (\d+) digits$/, "Enter $1 to $2 digits.", "$1 تا $2 رقم بنویسید."],
  [
    /^must begin with \+98, and have digits only$/,
    "Begin with +98, and enter digits only.",
    "با ‎+98 آغاز کنید و تنها رقم بنویسید."
  ],

  [
    /^Expected one line, without control characters and without characters that change the direction of text$/,
    "Enter one line, without control characters and without characters that change the direction of text.",
    "یک سطر بنویسید، بدون نویسه‌های کنترلی و نویسه‌هایی که جهت متن را تغییر می‌دهند."
  ],
  [
    /^Expected (?:text that can be seen|a value that can be seen, or none)$/,
    "Enter a text that can be seen.",
    "متنی بنویسید که دیده شود."
  ],
  [/^Expected (\d+) to (\d+) characters$/, "Enter $1 to $2 characters.", "$1 تا $2 نویسه بنویسید."],
  [
    /^Expected (?:at most (\d+) characters|a length of at most (\d+))$/,
    "Enter at most $1$2 characters.",
    "حداکثر $1$2 نویسه بنویسید."
  ],
  [
    /^Expected text without U\+0000 or unpaired surrogates$/,
    "This has characters that cannot be sent.",
    "نویسه‌هایی دارد که نمی‌توان فرستاد."
  ],
  [
    /^Expected (\d+) to (\d+) characters on one line, without braces$/,
    "Enter $1 to $2 characters on one line, without braces.",
    "$1 تا $2 نویسه در یک سطر بنویسید، بدون آکولاد."
  ],
  [
    /^Expected (?:a cursor|a next_cursor) of this list$/,
    "This page of the list is not there.",
    "این صفحهٔ فهرست وجود ندارد."
  ],
  [
    /^(?:Expected|must be) (\d+) to (\d+) printable ASCII characters without spaces$/,
    "Enter $1 to $2 Latin letters, digits or signs, without spaces.",
    "$1 تا $2 حرف لاتین، رقم یا نشانه بنویسید، بدون فاصله."
  ],
  [
    /^must be (\d+) to (\d+) characters without spaces$/,
    "Enter $1 to $2 characters, without spaces.",
    "$1 تا $2 نویسه بنویسید، بدون فاصله."
  ],
  [
    /^must be (\d+) to (\d+) characters without spaces or #$/,
    "Enter $1 to $2 characters, without spaces and #.",
    "$1 تا $2 نویسه بنویسید، بدون فاصله و #."
  ],
  [
    /^is not a setting of this provider$/,
    "This provider has no such setting.",
    "این سرویس‌دهنده چنین تنظیمی ندارد."
  ],

  [
    /^Expected an ISO 8601 date-time$/,
    "Enter a date and time.",
    "تاریخ و ساعت را بنویسید، مانند \u2066۱۴۰۵/۰۹/۰۳ ۱۴:۳۰\u2069."
  ],
  [/^Expected a time in the future$/, "Enter a time in the future.", "زمانی در آینده بنویسید."],

  [
    /^Expected a host name, such as (\S+)$/,
    "Enter a host name, such as $1.",
    "نام دامنه را بنویسید، مانند $1."
  ],
  [
    /^Expected an IP address or a network such as (\S+)$/,
    "Enter an IP address or a network, such as $1.",
    "نشانی IP یا شبکه بنویسید، مانند $1."
  ],
  [/^Expected an e-mail address$/, "Enter an e-mail address.", "نشانی ایمیل را بنویسید."],
  [
    /^(?:This address is in use already|this e-mail address is taken)$/,
    "This address is in use already.",
    "این نشانی پیش‌تر به کار رفته است."
  ],
  [
    /^(?:The address )?must not lead into a private network, unless (\w+) is set$/,
    "The address must not lead into a private network, unless this installation has $1=true.",
    "نشانی نباید به شبکه‌ای خصوصی برسد، مگر آنکه این نصب \u2066$1=true\u2069 داشته باشد."
  ],
  [
    /^(?:The address )?must be an http or https address of at most (\d+) characters, without credentials or fragment$/,
    "Enter an http or https address of at most $1 characters, without credentials or fragment.",
    "نشانی http یا https با حداکثر $1 نویسه بنویسید، بدون نام کاربری، گذرواژه و بخش پس از #."
  ],
  [
    /^(?:The address )?must begin with https:\/\/, unless (\w+) is set$/,
    "The address must begin with https://, unless this installation has $1=true.",
    "نشانی باید با \u2066https://\u2069 آغاز شود، مگر آنکه این نصب \u2066$1=true\u2069 داشته باشد."
  ],
  [
    /^must be (\d+) to (\d+) bytes in base64, with or without whsec_ before it$/,
    "Enter $1 to $2 bytes in base64, with or without whsec_ before them.",
    "$1 تا $2 بایت به شکل base64 بنویسید، با whsec_ پیش از آن یا بدون آن."
  ],
  [
    /^Expected \* to stand alone$/,
    "Choose all events, or some, not both.",
    "یا همهٔ رویدادها را برگزینید یا برخی را."
  ],

  [/^Expected a phone number$/, "Enter a phone number.", "شماره را بنویسید."],
  [/^Expected an Iranian mobile number$/, "Enter an Iranian mobile number.", "شمارهٔ موبایل ایرانی بنویسید."],
  [
    /^Expected the beginning of a mobile number, such as (\d+)$/,
    "Enter the beginning of a mobile number, such as 0912345.",
    "آغاز شمارهٔ موبایل را بنویسید، مانند ۰۹۱۲۳۴۵."
  ],
  [/^Expected at most (\d+) lines$/, "Enter at most $1 lines.", "حداکثر $1 سطر بنویسید."],
  [
    /^the first line has to name the columns phone and chat_id$/,
    "The first line has to name the columns phone and chat_id.",
    "سطر نخست باید ستون‌های phone و chat_id را نام ببرد."
  ],

  [
    /^line (\d+) is not an Iranian mobile number$/,
    "line $1 is not an Iranian mobile number",
    "سطر $1 شمارهٔ موبایل ایرانی ندارد"
  ],
  [/^line (\d+) has no usable chat_id$/, "line $1 has no usable chat_id", "سطر $1 شناسهٔ گفتگوی درستی ندارد"],
  [
    /^line (\d+) has a chat_id that a spreadsheet has rewritten$/,
    "line $1 has a chat id that a spreadsheet has rewritten: format its column as text",
    "سطر $1 شناسهٔ گفتگویی دارد که صفحه‌گسترده آن را تغییر داده است؛ ستونش را متن کنید"
  ],
  [
    /^every long chat_id ends in zeros: .*$/,
    "Every long chat id ends in zeros: a spreadsheet keeps 15 digits of a number. Export the ids again, as text.",
    "همهٔ شناسه‌های بلند به صفر پایان می‌یابند: صفحه‌گسترده ۱۵ رقم عدد را نگه می‌دارد. شناسه‌ها را به شکل متن بگیرید."
  ],
  [
    /^Expected the platform's id of a chat$/,
    "Enter the id of the chat as the platform writes it.",
    "شناسهٔ گفتگو را همان‌گونه که پیام‌رسان می‌نویسد وارد کنید."
  ],
  [
    /^line (\d+|\?) has a quote that is not closed, or inside a field$/,
    "line $1 has a quote that is not closed, or inside a field",
    "سطر $1 نشان نقل‌قولی دارد که بسته نشده یا میان فیلد آمده است"
  ],
  [/^and (\d+) more$/, "and $1 more", "و $1 مورد دیگر"],
  [
    /^the file is not text in UTF-8$/,
    "This is not text in UTF-8. Save the file as CSV UTF-8.",
    "این متن UTF-8 نیست. پرونده را با قالب CSV UTF-8 ذخیره کنید."
  ],
  [
    /^no line has a contact$/,
    "There is no line with a phone and a chat id.",
    "سطری با شماره و شناسهٔ گفتگو نیست."
  ],

  [/^Choose a channel$/, "Choose a channel.", "کانالی برگزینید."],
  [
    /^Choose a channel and a provider$/,
    "Choose a channel and a provider.",
    "کانال و سرویس‌دهنده را برگزینید."
  ],
  [/^There is no shared sms sender$/, "SMS has no shared sender.", "پیامک فرستندهٔ اشتراکی ندارد."],
  [
    /^SMS uses the template registered at its provider$/,
    "SMS uses the template that is registered at its provider.",
    "متن پیامک همان قالبی است که نزد سرویس‌دهنده ثبت شده است."
  ],
  [
    /^customer \d+ has no \w+ account \d+$/,
    "One of the accounts is no longer connected.",
    "یکی از حساب‌ها دیگر وصل نیست."
  ],
  [/^an account is named twice$/, "An account is chosen twice.", "حسابی دو بار انتخاب شده است."],
  [
    /^account \d+ would stand by for itself$/,
    "The account would stand by for itself.",
    "حساب پشتیبان خودش می‌شد."
  ],
  [/^account (\d+) sends no codes$/, "Account $1 sends no codes.", "حساب $1 کد نمی‌فرستد."],
  [
    /^the provider refuses the account: (.*)$/s,
    "The provider refuses the account: $1",
    "سرویس‌دهنده حساب را نمی‌پذیرد: $1"
  ],

  [/^the customer would have no owner$/, "The account would have no owner.", "حساب بدون مالک می‌ماند."],
  [/^the key is not active any more$/, "The key is no longer active.", "کلید دیگر فعال نیست."],
  [/^the webhook is disabled$/, "The webhook is switched off.", "وب‌هوک خاموش است."],
  [/^there are (\d+) webhooks already$/, "There are $1 webhooks already.", "پیش‌تر $1 وب‌هوک ساخته شده است."],
  [/^the lists have (\d+) entries$/, "The lists already have $1 entries.", "فهرست‌ها $1 مورد دارند."]
]

const inWords = (report: string, { say, number }: Locale): string | null => {
  for (const [pattern, english, persian] of messages) {
    const found = pattern.exec(report)
    if (found === null) continue
    return say(english, persian).replaceAll(/\$(\d)/g, (_, place: string) => {
      const part = found[Number(place)] ?? ""
      return /^\d+$/.test(part) ? number(Number(part)) : part
    })
  }
  return null
}

/** A report of several mistakes, such as the lines of a file. */
const BETWEEN = "; "

/** The text of a report for people, in the visitor's language. An unknown report stays as it is. */
export const fieldMessage = (report: string, locale: Locale): string =>
  inWords(report, locale) ??
  report
    .split(BETWEEN)
    .map((part) => inWords(part, locale) ?? part)
    .join(locale.say(BETWEEN, "؛ "))
