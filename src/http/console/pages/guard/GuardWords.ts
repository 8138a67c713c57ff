import type { ShownAlarm } from "../../../../domain/guard/Alarm.ts"
import type { EntryType, GuardMode } from "../../../../domain/guard/GuardSettings.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import { mono } from "../../parts/Text.ts"

type Words = readonly [english: string, persian: string]

const modes: Readonly<Record<GuardMode, Words>> = {
  off: ["Off", "خاموش"],
  record: ["Record only", "فقط ثبت"],
  enforcing: ["Enforcing", "اعمال"]
}

export const modeWords = (mode: GuardMode, { say }: Locale): string => say(...modes[mode])

const types: Readonly<Record<EntryType, Words>> = {
  phone: ["Phone", "شماره"],
  prefix: ["Beginning of numbers", "آغاز شماره‌ها"],
  ip: ["Address or network", "نشانی یا شبکه"]
}

export const typeWords = (type: EntryType, { say }: Locale): string => say(...types[type])

const kinds: Readonly<Record<ShownAlarm["kind"], Words>> = {
  customer: ["All codes", "همهٔ کدها"],
  network: ["Network", "شبکه"],
  prefix: ["Range of numbers", "بازهٔ شماره‌ها"],
  device: ["Device", "دستگاه"],
  phone: ["Phone", "شماره"]
}

export const segmentWords = ({ kind, key }: ShownAlarm, { say }: Locale): Html =>
  html`${say(...kinds[kind])} ${key !== "" && mono(key)}`

const reasons: Readonly<Record<ShownAlarm["reason"], Words>> = {
  unverified: ["Codes are not verified", "کدها تأیید نمی‌شوند"],
  budget: ["Too many unverified codes", "کدهای تأییدنشدهٔ زیاد"],
  bombed: ["Many services send to it", "سرویس‌های زیادی به آن می‌فرستند"],
  outage: ["A channel is out; nobody is blocked", "یک کانال قطع است؛ کسی مسدود نیست"]
}

export const reasonWords = ({ reason }: Pick<ShownAlarm, "reason">, { say }: Locale): string =>
  say(...reasons[reason])

export const actionWords = ({ action, enforced }: ShownAlarm, { say }: Locale): string => {
  if (action === null) return say("None", "هیچ")
  const words = action === "no_sms" ? say("No SMS", "بدون پیامک") : say("Refuse", "رد")
  return enforced ? words : say(`Recorded: ${words}`, `ثبت شد: ${words}`)
}
