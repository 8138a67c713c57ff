import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { stateTone, stateWords } from "./Badge.ts"
import { channelName } from "./Text.ts"

export interface Hop {
  readonly channel: string
  /** A state of `Badge.ts`. */
  readonly state: string
}

/** The channels that were tried, one after the other, with what came of each. */
export const hops = (all: ReadonlyArray<Hop>, locale: Locale): Html =>
  all.length === 0
    ? html`<span class="muted">–</span>`
    : html`<ol class="hops">
        ${all.map(
          ({ channel, state }) =>
            html`<li class="hop" title="${stateWords(state, locale)}">
              <span class="mark ${stateTone(state)}"></span>${channelName(channel, locale)}
              <span class="hidden">: ${stateWords(state, locale)}</span>
            </li>`
        )}
      </ol>`
