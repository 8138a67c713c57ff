import { html, type Html } from "../../frame/Html.ts"

/** In place of a list without rows: why it is empty, and what to do next. */
export const emptyState = (
  title: string,
  text: Html | string,
  action: { readonly href: string; readonly label: string } | null = null
): Html =>
  html`<div class="empty">
    <p><strong>${title}</strong></p>
    <p>${text}</p>
    ${action !== null && html`<p><a class="button" href="${action.href}">${action.label}</a></p>`}
  </div>`
