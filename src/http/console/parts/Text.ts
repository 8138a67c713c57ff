import { ERASED_PHONE } from "../../../domain/Phone.ts"
import { shown } from "../../../domain/text/VisibleText.ts"
import { channelNames, channelType, isChannel } from "../../../domain/routing/Channel.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"

/** Numbers, ids, addresses and code: left to right in Persian pages too. */
export const ltr = (text: string): Html => html`<bdi dir="ltr">${text}</bdi>`

/** A phone, in one line. */
export const phoneNumber = (phone: string): Html => html`<bdi dir="ltr" class="nowrap">${phone}</bdi>`

/** Left to right within plain text, as in a title. */
export const isolatedText = (text: string): string => `\u2066${text}\u2069`

/** The name that somebody gave a thing, within a sentence: quoted, and in its own direction. */
export const quoted = (name: string, { say }: Locale): string => {
  const own = `\u2068${shown(name)}\u2069`
  return say(`“${own}”`, `«${own}»`)
}

/** As `ltr`, in the type of code. */
export const mono = (text: string): Html => html`<bdi dir="ltr" class="mono">${text}</bdi>`

/** Text by somebody else, in either direction. */
export const isolated = (text: string): Html => html`<bdi>${shown(text)}</bdi>`

/** The first part of a UUID, which people compare by eye; the whole one on hover. */
export const shortId = (id: string): Html =>
  html`<bdi dir="ltr" class="mono nowrap" title="${id}">${id.slice(0, 8)}…${id.slice(-4)}</bdi>`

/** A phone within a title. The one in the place of erased phones is no number to show. */
export const phoneText = (phone: string, { say }: Locale): string =>
  phone === ERASED_PHONE ? say("an erased phone", "یک شمارهٔ پاک‌شده") : isolatedText(phone)

/** A phone as a part of a page. */
export const phonePart = (phone: string, { say }: Locale): Part =>
  phone === ERASED_PHONE ? say("erased phone", "شمارهٔ پاک‌شده") : phoneNumber(phone)

const LATIN = /[A-Za-z\u00C0-\u024F]/
const STRONG = /[A-Za-z\u00C0-\u024F\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/

/** The direction of a text by its first letter; the names of parameters (`{{name}}`) do not count. */
export const directionOf = (text: string): "ltr" | "rtl" | "auto" => {
  const [letter] = STRONG.exec(text.replaceAll(/\{\{[^{}]*\}\}/g, "")) ?? []
  return letter === undefined ? "auto" : LATIN.test(letter) ? "ltr" : "rtl"
}

/** “Bale, Eitaa and SMS”. */
export const listed = (names: ReadonlyArray<string>, { say }: Locale): string => {
  const last = names.at(-1) ?? ""
  return names.length < 2 ? last : `${names.slice(0, -1).join(say(", ", "، "))}${say(" and ", " و ")}${last}`
}

export const channelName = (name: string, { say }: Locale): string =>
  isChannel(name) ? say(...channelNames[name]) : name

/** The channel within a sentence. In Persian “Bale” alone reads as “yes”. */
export const channelSubject = (name: string, locale: Locale): string =>
  isChannel(name) && channelType(name) === "messenger"
    ? locale.say(channelNames[name][0], `پیام‌رسان ${channelNames[name][1]}`)
    : channelName(name, locale)

/** The channel that something was sent over. All but calls have a name of their own. */
export const overChannel = (name: string, locale: Locale): string =>
  name === "voice" ? locale.say("a voice call", channelSubject(name, locale)) : channelSubject(name, locale)
