import { Result, Schema } from "effect"
import { bareNumber } from "./text/PastedText.ts"
import { InvalidPhone } from "./Errors.ts"

const NORMAL_FORM = /^\+989\d{9}$/

/** An Iranian mobile number in E.164, e.g. `+989121234567`. */
export const Phone = Schema.String.check(Schema.isPattern(NORMAL_FORM)).pipe(Schema.brand("Phone"))
export type Phone = typeof Phone.Type

/** `Schema.is` takes ten times as long. */
export const isPhone = (text: string): text is Phone => NORMAL_FORM.test(text)

/** Replaces an erased phone in old records: no subscriber has it, and no request can name it. */
export const ERASED_PHONE = Phone.make("+989800000000")

/** The four accepted forms; the capture is the national number. */
const FORMS = /^(?:0|\+98|0098)?(9\d{9})$/

/**
 * Local (0912…), E.164 (+98912…), 00 (0098912…) or bare (912…), in any digits, with separators and format characters.
 * Every number that begins with +989 is taken: operators get new ranges more often than Peyk is released.
 */
export const parsePhone = (input: string): Result.Result<Phone, InvalidPhone> => {
  const national = FORMS.exec(bareNumber(input))?.[1]
  if (national === undefined) return Result.fail(new InvalidPhone())
  const phone = Phone.make(`+98${national}`)
  return phone === ERASED_PHONE ? Result.fail(new InvalidPhone()) : Result.succeed(phone)
}

/** Requests are compared by this: the normal form, or the unchanged text if it is no mobile number. */
export const normalPhone = (input: string): string => Result.getOrElse(parsePhone(input), () => input)

/** A contact's number as messengers write it: also the country code without a plus (98912…). */
export const parseContactPhone = (input: string): Result.Result<Phone, InvalidPhone> => {
  const digits = bareNumber(input)
  return parsePhone(/^98\d{10}$/.test(digits) ? `+${digits}` : input)
}

const masked = (phone: Phone, mask: string): string => `${phone.slice(0, 6)}${mask}${phone.slice(-4)}`

/** The masked form for logs and metrics: `+98912•••4567`. */
export const maskPhone = (phone: Phone): string => masked(phone, "•••")

/** The masked form in ASCII, which takes half the memory and time: `+98912***4567`. */
export const maskPhoneInAscii = (phone: Phone): string => masked(phone, "***")
