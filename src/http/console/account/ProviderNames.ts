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
