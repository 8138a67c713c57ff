import { Result, Schema } from "effect"
import { Metadata } from "libphonenumber-js/mobile"
import { foldDigits } from "./text/Digits.ts"
import { InvalidPhone } from "./Errors.ts"

declare module "libphonenumber-js/mobile" {
  interface NumberingPlan {
    /** The package's JavaScript has it, but its types do not. */
    type: (name: "MOBILE") => { readonly pattern: () => string } | undefined
  }
}

const NORMAL_FORM = /^\+989\d{9}$/

/** An Iranian mobile number in E.164, e.g. `+989121234567`. */
export const Phone = Schema.String.check(Schema.isPattern(NORMAL_FORM)).pipe(Schema.brand("Phone"))
export type Phone = typeof Phone.Type

/** `Schema.is` takes ten times as long. */
export const isPhone = (text: string): text is Phone => NORMAL_FORM.test(text)

/** Replaces an erased phone in old records: no subscriber can have it, and no request can name it. */
export const ERASED_PHONE = Phone.make("+989800000000")

const SEPARATORS = /[\s\-()]/g
/** The four accepted forms; the capture is the national number. */
const FORMS = /^(?:0|\+98|0098)?(9\d{9})$/

/** The numbering plan's own pattern. Its parser would give the same result for a national number. */
const mobilePattern = (() => {
  const metadata = new Metadata()
  metadata.selectNumberingPlan("IR")
  const pattern = metadata.numberingPlan?.type("MOBILE")?.pattern()
  if (pattern === undefined) throw new Error("libphonenumber-js knows no mobile numbers of Iran")
  return new RegExp(`^(?:${pattern})$`)
})()

/** Local (0912…), E.164 (+98912…), 00 (0098912…) or bare (912…), in any digits, with separators. */
export const parsePhone = (input: string): Result.Result<Phone, InvalidPhone> => {
  const national = FORMS.exec(foldDigits(input).replace(SEPARATORS, ""))?.[1]
  if (national === undefined) return Result.fail(new InvalidPhone())
  return mobilePattern.test(national)
    ? Result.succeed(Phone.make(`+98${national}`))
    : Result.fail(new InvalidPhone())
}

/** Requests are compared by this: the normal form, or the unchanged text if it is no mobile number. */
export const normalPhone = (input: string): string => Result.getOrElse(parsePhone(input), () => input)

/** A contact's number as messengers write it: also the country code without a plus (98912…). */
export const parseContactPhone = (input: string): Result.Result<Phone, InvalidPhone> => {
  const digits = foldDigits(input).replace(SEPARATORS, "")
  return parsePhone(/^98\d{10}$/.test(digits) ? `+${digits}` : input)
}

const masked = (phone: Phone, mask: string): string => `${phone.slice(0, 6)}${mask}${phone.slice(-4)}`

/** The masked form for logs and metrics: `+98912•••4567`. */
export const maskPhone = (phone: Phone): string => masked(phone, "•••")

/** The masked form in ASCII, which takes half the memory and time: `+98912***4567`. */
export const maskPhoneInAscii = (phone: Phone): string => masked(phone, "***")
