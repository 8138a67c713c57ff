import { html, type Html, type Part } from "../frame/Html.ts"
import type { Tone } from "./Badge.ts"

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
