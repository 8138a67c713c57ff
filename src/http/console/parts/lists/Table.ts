import { html, type Html, type Part } from "../../frame/Html.ts"

export interface Column<Row> {
  /** The heading; on a phone it stands next to each cell. */
  readonly header: string
  readonly cell: (row: Row) => Part
  /**
   * `title` names the row (one column has it), `number` is aligned at the end, and `actions` has a header that is
   * only heard.
   */
  readonly kind?: "title" | "number" | "actions"
}

const classOf = <Row>({ kind }: Column<Row>): string =>
  kind === "number" ? "end" : kind === "title" ? "title" : kind === "actions" ? "row-end" : ""

const headerOf = <Row>(column: Column<Row>): Html =>
  html`<th scope="col" role="columnheader" class="${classOf(column)}">
    ${column.kind === "actions" ? html`<span class="hidden">${column.header}</span>` : column.header}
  </th>`

const cellOf = <Row>(column: Column<Row>, row: Row): Html =>
  column.kind === "title"
    ? html`<th scope="row" role="rowheader" class="title">${column.cell(row)}</th>`
    : html`<td role="cell" class="${classOf(column)}" data-label="${column.header}">
        <div>${column.cell(row)}</div>
      </td>`

/**
 * A table whose rows become cards on a phone. The roles are said again because cards are not laid out as a table.
 * `caption` is what it lists, for those who hear the page.
 */
export const table = <Row>(
  caption: string,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>
): Html =>
  html`<div class="table-scroll" tabindex="0" role="region" aria-label="${caption}">
    <table role="table" class="cards">
      <caption class="hidden">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(headerOf)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row">
              ${columns.map((column) => cellOf(column, row))}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
