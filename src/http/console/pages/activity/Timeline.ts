import type { Instant } from "../../../../domain/Instant.ts"
import { html, type Html, type Part } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import type { Tone } from "../../parts/Badge.ts"

/** One event of a send, past or future. */
export interface Moment {
  /** Null: the time is not known. */
  readonly at: Instant | null
  readonly tone: Tone
  readonly what: Part
  /** Details, a line each. */
  readonly more?: ReadonlyArray<Part>
  /** The provider's own words. */
  readonly words?: string | null
  readonly isToCome?: boolean
}

/** The element has no spaces around the words, because the page would show them. */
const saidPart = (words: string, { say }: Locale): Html => {
  const before = html`<span class="hidden">${say("The provider said:", "سخن سرویس‌دهنده:")} </span>`
  return html`<p class="words">${before}${words}</p>`
}

const entry = ({ at, tone, what, more = [], words, isToCome }: Moment, locale: Locale): Html =>
  html`<li class="${isToCome === true && "to-come"}">
    <span class="dot ${tone}"></span>
    <p class="what"><strong>${what}</strong>${at !== null && locale.clock(at)}</p>
    ${more.map((line) => line !== null && line !== false && html`<p class="more">${line}</p>`)}
    ${words != null && words !== "" && saidPart(words, locale)}
  </li>`

/** Moments by their time. One without a time comes after all before it in the list; future ones are last. */
const inOrder = (moments: ReadonlyArray<Moment>): ReadonlyArray<Moment> => {
  let known = 0
  return moments
    .map((moment, index) => {
      known = Math.max(known, moment.at ?? known)
      return { moment, index, at: moment.isToCome === true ? Number.MAX_SAFE_INTEGER : (moment.at ?? known) }
    })
    .toSorted((one, other) => one.at - other.at || one.index - other.index)
    .map(({ moment }) => moment)
}

/** A list of the moments, oldest first. */
export const timeline = (moments: ReadonlyArray<Moment>, locale: Locale): Html =>
  html`<ol class="timeline">
    ${inOrder(moments).map((moment) => entry(moment, locale))}
  </ol>`
