/** What the page says, in two languages. */
import { clockTime, shownDigits } from "./Digits.ts"

/** How the code travels: a messenger's name, `sms` or `voice`. */
export type ChannelName = string

export interface Words {
  readonly heading: string
  readonly intro: string
  readonly phone: string
  readonly send: string
  readonly codeHeading: string
  readonly sent: (channel: ChannelName, digits: number) => string
  readonly change: string
  readonly code: string
  readonly verify: string
  readonly again: string
  readonly againIn: (seconds: number) => string
  readonly other: string
  readonly way: (channel: ChannelName) => string
  readonly fresh: string
  readonly freshSent: string
  readonly done: string
  readonly badPhone: string
  readonly wrong: (left: number | null) => string
  readonly over: string
  readonly locked: string
  readonly expired: string
  readonly used: string
  readonly failed: string
  readonly noOther: string
  readonly notThisWay: string
  readonly blocked: string
  readonly busy: (seconds: number) => string
  readonly trouble: string
  readonly offline: string
}

const NAMES: Readonly<Record<string, readonly [persian: string, english: string]>> = {
  bale: ["بله", "Bale"],
  eitaa: ["ایتا", "Eitaa"],
  rubika: ["روبیکا", "Rubika"],
  soroushplus: ["سروش‌پلاس", "Soroush Plus"],
  telegram: ["تلگرام", "Telegram"]
}

const fa = (value: number | string): string => shownDigits(String(value), true)

const persian: Words = {
  heading: "ورود یا ثبت‌نام",
  intro: "کد تأیید را به این شماره می‌فرستیم.",
  phone: "شماره موبایل",
  send: "دریافت کد تأیید",
  codeHeading: "کد تأیید را وارد کنید",
  sent: (channel, digits) => {
    const code = `کد ${fa(digits)} رقمی`
    if (channel === "sms") return `${code} را به این شماره پیامک کردیم:`
    if (channel === "voice") return `با این شماره تماس می‌گیریم و ${code} را می‌گوییم:`
    const name = NAMES[channel]
    return `${code} را ${name === undefined ? "" : `در «${name[0]}» `}به این شماره فرستادیم:`
  },
  change: "تغییر شماره",
  code: "کد تأیید",
  verify: "تأیید",
  again: "ارسال دوباره",
  againIn: (seconds) => `ارسال دوباره تا ${fa(clockTime(seconds))}`,
  other: "روش دیگر",
  way: (channel) => {
    if (channel === "voice") return "تماس بگیرید"
    return channel === "sms" ? "با پیامک" : `در «${NAMES[channel]?.[0] ?? channel}»`
  },
  fresh: "دریافت کد جدید",
  freshSent: "کد جدیدی فرستادیم؛ کد قبلی دیگر کار نمی‌کند.",
  done: "شماره موبایلتان تأیید شد.",
  badPhone: "شماره موبایل را درست و کامل وارد کنید.",
  wrong: (left) => {
    const more = left === null ? "دوباره" : `${left === 1 ? "فقط یک" : fa(left)} بار دیگر می‌توانید`
    return `کد درست نیست. ${more} امتحان کنید.`
  },
  over: "کد جدید بگیرید",
  locked: "چند بار کد اشتباه وارد شد و این کد باطل شد.",
  expired: "مهلت این کد تمام شد.",
  used: "این کد قبلاً استفاده شده است.",
  failed: "کد به این شماره نرسید. شماره را بررسی کنید یا دوباره امتحان کنید.",
  noOther: "روش دیگری برای فرستادن کد نمانده است.",
  notThisWay: "کد را از این راه نمی‌توانیم بفرستیم.",
  blocked: "برای این شماره نمی‌توانیم کد بفرستیم.",
  busy: (seconds) =>
    `درخواست‌های زیادی فرستاده‌اید. ${seconds < 60 ? "کمی بعد" : `${fa(Math.ceil(seconds / 60))} دقیقه دیگر`} دوباره امتحان کنید.`,
  trouble: "مشکلی پیش آمد. کمی بعد دوباره امتحان کنید.",
  offline: "ارتباط برقرار نشد. اینترنت را بررسی کنید."
}

const english: Words = {
  heading: "Sign in or sign up",
  intro: "We will send a code to this number.",
  phone: "Mobile number",
  send: "Send code",
  codeHeading: "Enter the code",
  sent: (channel, digits) => {
    const code = `${digits}-digit code`
    if (channel === "sms") return `We texted a ${code} to`
    if (channel === "voice") return `We are calling this number to say a ${code}:`
    const name = NAMES[channel]
    return `We sent a ${code} ${name === undefined ? "" : `on ${name[1]} `}to`
  },
  change: "Change number",
  code: "Code",
  verify: "Verify",
  again: "Send again",
  againIn: (seconds) => `Send again in ${clockTime(seconds)}`,
  other: "Try another way",
  way: (channel) => {
    if (channel === "voice") return "Call me"
    return channel === "sms" ? "By SMS instead" : `On ${NAMES[channel]?.[1] ?? channel} instead`
  },
  fresh: "Get a new code",
  freshSent: "We sent a new code. The earlier one no longer works.",
  done: "Your number is verified.",
  badPhone: "Enter a whole mobile number.",
  wrong: (left) => {
    if (left === null) return "Wrong code. Try again."
    return left === 1 ? "Wrong code. You have one try left." : `Wrong code. You have ${left} tries left.`
  },
  over: "Get a new code",
  locked: "Too many wrong codes: this code no longer works.",
  expired: "This code has expired.",
  used: "This code was already used.",
  failed: "The code did not reach this number. Check the number, or try again.",
  noOther: "There is no other way left to send the code.",
  notThisWay: "We cannot send the code in this way.",
  blocked: "We cannot send codes to this number.",
  busy: (seconds) =>
    `Too many requests. Try again ${seconds < 60 ? "a little later" : `in ${Math.ceil(seconds / 60)} min`}.`,
  trouble: "Something went wrong. Try again a little later.",
  offline: "No connection. Check your internet."
}

export const isPersian = (language: string): boolean => !/^en\b/i.test(language)

export const wordsOf = (language: string): Words => (isPersian(language) ? persian : english)
