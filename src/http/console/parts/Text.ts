import type { Channel } from "../../../domain/routing/Channel.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"

/** Numbers, ids, addresses and code: left to right in Persian pages too. */
export const ltr = (text: string): Html => html`<bdi dir="ltr">${text}</bdi>`

/** The same within plain text, as in a title. */
export const isolated = (text: string): string => `\u2066${text}\u2069`

/** The same in the type of code. */
export const mono = (text: string): Html => html`<bdi dir="ltr" class="mono">${text}</bdi>`

/** Text by somebody else, in either direction. */
export const foreign = (text: string): Html => html`<bdi>${text}</bdi>`

/** The first part of a UUID, which people compare by eye; the whole one on hover. */
export const shortId = (id: string): Html =>
  html`<bdi dir="ltr" class="mono" title="${id}">${id.slice(0, 8)}…${id.slice(-4)}</bdi>`

const channels: Readonly<Record<Channel, readonly [english: string, persian: string]>> = {
  eitaa: ["Eitaa", "ایتا"],
  bale: ["Bale", "بله"],
  soroushplus: ["Soroush Plus", "سروش پلاس"],
  rubika: ["Rubika", "روبیکا"],
  telegram: ["Telegram", "تلگرام"],
  sms: ["SMS", "پیامک"]
}

const isChannel = (name: string): name is Channel => Object.hasOwn(channels, name)

export const channelName = (name: string, { say }: Locale): string =>
  isChannel(name) ? say(...channels[name]) : name
