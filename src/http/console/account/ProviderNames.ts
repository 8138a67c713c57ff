import type { Channel } from "../../../domain/routing/Channel.ts"
import type { Locale } from "../frame/Locale.ts"

/** What people call each provider. */
const providers: Readonly<Record<string, readonly [english: string, persian: string]>> = {
  smsir: ["SMS.ir", "SMS.ir"],
  kavenegar: ["Kavenegar", "کاوه‌نگار"],
  ippanel: ["IPPanel", "آی‌پی‌پنل"],
  melipayamak: ["Melipayamak", "ملی‌پیامک"],
  ghasedak: ["Ghasedak", "قاصدک"],
  farazsms: ["FarazSMS", "فراز اس‌ام‌اس"],
  bale_safir: ["Bale Safir", "سفیر بله"],
  bale_bot: ["Bale bot", "ربات بله (بازو)"],
  eitaa_app: ["Eitaa app", "برنامک ایتا"],
  soroushplus_bot: ["Soroush Plus bot", "ربات سروش‌پلاس"],
  rubika_bot: ["Rubika bot", "ربات روبیکا"],
  telegram_bot: ["Telegram bot", "ربات تلگرام"],
  telegram_gateway: ["Telegram Gateway", "Telegram Gateway"],
  bridge: ["Your own gateway (bridge)", "درگاه خودتان (bridge)"],
  simulator: ["Simulator", "شبیه‌ساز"]
}

export const providerName = (provider: string, { say }: Locale): string => {
  const names = providers[provider]
  return names === undefined ? provider : say(...names)
}

const SMS_PANEL = [
  "Text messages to any phone. Needs an API key; for codes an approved template, for messages a line. Paid per SMS from your credit there.",
  "پیامک به هر شماره. کلید API می‌خواهد؛ برای کد یک قالب تأییدشده و برای پیام یک خط. هزینهٔ هر پیامک از اعتبار شما در آن پنل."
] as const
const SHARED_CONTACT = [
  "A bot for people who shared their number with it. Needs the bot's token. Free.",
  "ربات، برای کسانی که شماره‌شان را به آن داده‌اند. توکن ربات را می‌خواهد. رایگان."
] as const

const CALL_PANEL = [
  "Calls any phone and reads the code out, also to landlines. Needs an API key. Paid per call from your credit there.",
  "با هر شماره، تلفن ثابت هم، تماس می‌گیرد و کد را می‌خواند. کلید API می‌خواهد. هزینهٔ هر تماس از اعتبار شما در آن پنل."
] as const

/** What each provider is, what it needs, and what it costs. */
const descriptions: Readonly<Record<string, readonly [english: string, persian: string]>> = {
  smsir: SMS_PANEL,
  kavenegar: SMS_PANEL,
  ippanel: SMS_PANEL,
  melipayamak: [
    "Text messages to any phone. Needs the panel's username and password; for codes an approved text, for messages a line. Paid per SMS from your credit there.",
    "پیامک به هر شماره. نام کاربری و گذرواژهٔ پنل را می‌خواهد؛ برای کد یک متن تأییدشده و برای پیام یک خط. هزینهٔ هر پیامک از اعتبار شما در آن پنل."
  ],
  ghasedak: SMS_PANEL,
  farazsms: SMS_PANEL,
  bale_safir: [
    "Bale's own service for businesses: reaches every number on Bale. Needs an API key and a bot. Paid to Bale per send.",
    "سرویس بله برای کسب‌وکارها: به هر شماره‌ای که در بله است می‌رسد. کلید API و یک بازو می‌خواهد. هزینهٔ هر ارسال را بله می‌گیرد."
  ],
  bale_bot: SHARED_CONTACT,
  eitaa_app: [
    "An app within Eitaa, for people who opened it. Needs the app's token. Free.",
    "برنامک ایتا، برای کسانی که آن را باز کرده‌اند. توکن برنامک را می‌خواهد. رایگان."
  ],
  soroushplus_bot: SHARED_CONTACT,
  rubika_bot: SHARED_CONTACT,
  telegram_bot: [
    "A bot for people who shared their number with it. Messages only, no codes. Needs the bot's token. Free.",
    "ربات، برای کسانی که شماره‌شان را به آن داده‌اند. فقط پیام، نه کد. توکن ربات را می‌خواهد. رایگان."
  ],
  telegram_gateway: [
    "Telegram's own service for codes: reaches every number on Telegram. Needs a token. Paid to Telegram per code.",
    "سرویس کد خود تلگرام: به هر شماره‌ای که در تلگرام است می‌رسد. یک توکن می‌خواهد. هزینهٔ هر کد را تلگرام می‌گیرد."
  ],
  bridge: [
    "Your own program sends: Peyk posts each send to it, signed. Needs its address and a secret.",
    "برنامهٔ خودتان می‌فرستد: پیک هر ارسال را امضاشده به آن می‌دهد. نشانی برنامه و یک کلید امضا می‌خواهد."
  ],
  simulator: [
    "Phones on a page of this server, for development. Needs nothing. Free.",
    "گوشی‌هایی در یک صفحهٔ همین سرور، برای توسعه. چیزی نمی‌خواهد. رایگان."
  ]
}

/** The same company sends texts and calls; what holds for any channel says nothing about either. */
const callDescriptions: typeof descriptions = { kavenegar: CALL_PANEL, ippanel: CALL_PANEL }

/** One line about a provider of a channel, for those who choose one; null of those that have none. */
export const providerDescription = (provider: string, channel: Channel, { say }: Locale): string | null => {
  const words = (channel === "voice" ? callDescriptions[provider] : undefined) ?? descriptions[provider]
  return words === undefined ? null : say(...words)
}
