import { html, type Html, type Part } from "../frame/Html.ts"

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
