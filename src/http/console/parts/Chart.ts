import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"

interface Series {
  readonly label: string
  /** Bars stand on each other, in this order. A dashed line is behind the others: what they are compared with. */
  readonly kind: "bar" | "line" | "dashed"
  /** A colour that means something; by default they differ only. */
  readonly tone?: "bad"
}

interface ChartPoint {
  readonly label: string
  /** One value for each series; null: none. */
  readonly values: ReadonlyArray<number | null>
}

interface ChartOptions {
  readonly title: string
  /** The unit of the points: days, hours. */
  readonly unit: string
  readonly series: ReadonlyArray<Series>
  readonly points: ReadonlyArray<ChartPoint>
  readonly format?: (value: number) => string
  /** The values are shares of 100: so is the axis. */
  readonly isPercent?: boolean
  /** One of several next to each other. */
  readonly isSmall?: boolean
}

const cell = (value: number | null, format: (value: number) => string): Html =>
  value === null
    ? html`<td class="end">–</td>`
    : html`<td class="end" data-value="${value}">${format(value)}</td>`

/** Figures over time: a table, from which the console's script draws a chart. */
export const chart = (
  { title, unit, series, points, format, isPercent, isSmall }: ChartOptions,
  { say, number }: Locale
): Html =>
  html`<figure
    class="chart ${isSmall === true && "small"}"
    data-chart="${isPercent === true ? "percent" : ""}"
  >
    <ul class="legend" aria-hidden="true">
      ${series.map(
        ({ label, kind, tone }, index) =>
          html`<li><span class="swatch ${kind} series-${tone ?? index}"></span>${label}</li>`
      )}
    </ul>
    <div class="chart-plot" aria-hidden="true"></div>
    <details class="chart-figures">
      <summary>
        ${say("Show as table", "نمایش به صورت جدول")}<span class="chart-name">: ${title}</span>
      </summary>
      <div class="table-scroll" tabindex="0" role="region" aria-label="${title}">
        <table>
          <caption class="hidden">
            ${title}
          </caption>
          <thead>
            <tr>
              <th scope="col">${unit}</th>
              ${series.map(({ label, kind }) => html`<th scope="col" class="end" data-kind="${kind}">${label}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${points.map(
              ({ label, values }) =>
                html`<tr>
                  <th scope="row">${label}</th>
                  ${values.map((value) => cell(value, format ?? number))}
                </tr>`
            )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`
