import { type PageName, pathOf } from "../Navigation.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Signed } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { Tone } from "./Badge.ts"

export type Fact = readonly [term: Part, value: Part]

/** The fields of one thing. A fact of null is left out. */
export const facts = (all: ReadonlyArray<Fact | null>): Html =>
  html`<dl class="facts">
    ${all.map(
      (fact) =>
        fact !== null &&
        html`<dt>${fact[0]}</dt>
          <dd>${fact[1]}</dd>`
    )}
  </dl>`

export interface Tile {
  readonly label: string
  readonly value: Part
  /** Under the figure: what it is compared with. */
  readonly note?: Part
  readonly tone?: Tone
  readonly href?: string
}

/** The few figures that a page begins with. */
export const tiles = (all: ReadonlyArray<Tile>): Html =>
  html`<dl class="tiles">
    ${all.map(
      ({ label, value, note, tone, href }) =>
        html`<div class="panel tile ${tone ?? ""}">
          <dt>${href === undefined ? label : html`<a href="${href}">${label}</a>`}</dt>
          <dd>${value}</dd>
          ${note !== undefined && html`<dd class="note">${note}</dd>`}
        </div>`
    )}
  </dl>`

/** The notice of a page whose figures are not complete yet. */
export const stillSummingUp = ({ say }: Locale): Html =>
  html`<p class="notice" role="status">
    ${say("Still counting older sends: the figures are not complete yet.", "ارسال‌های قدیمی‌تر هنوز شمرده می‌شوند: ارقام تا چند لحظهٔ دیگر کامل می‌شود.")}
  </p>`

/** A link to a page, or below it; only the words where the page is not served. */
export const pageLink = (
  { navigation }: Pick<Signed, "navigation">,
  name: PageName,
  words: string | Html,
  below = ""
): Html =>
  navigation.some(({ pages }) => pages.some((page) => page.name === name))
    ? html`<a href="${pathOf(name)}${below}">${words}</a>`
    : html`${words}`
