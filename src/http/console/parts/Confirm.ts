import { csrfField, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Signed } from "../frame/Layout.ts"

interface PostButton {
  readonly action: string
  readonly label: string
  readonly fields?: Readonly<Record<string, string>>
  readonly kind?: "primary" | "danger" | "quiet" | "plain"
  readonly isSmall?: boolean
}

const classOf = ({ kind = "plain", isSmall }: PostButton): string =>
  ["button", kind === "plain" ? "" : kind, isSmall === true ? "small" : ""].join(" ")

const fieldsOf = ({ csrf }: Signed, { fields = {} }: PostButton) =>
  html`${csrfField(csrf)}${onceField()}
  ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`

/** A button that does something at once. */
export const postButton = (view: Signed, button: PostButton): Html =>
  html`<form method="post" action="${button.action}">
    ${fieldsOf(view, button)}<button class="${classOf(button)}">${button.label}</button>
  </form>`

/** A button that asks first, and says what will happen. Works without JavaScript. */
export const confirmButton = (
  view: Signed,
  button: PostButton & { readonly question: string; readonly confirm: string }
): Html =>
  html`<details class="confirm">
    <summary class="${classOf(button)}">${button.label}</summary>
    <div class="confirm-panel panel">
      <p>${button.question}</p>
      <form method="post" action="${button.action}">
        ${fieldsOf(view, button)}<button class="button danger">${button.confirm}</button>
      </form>
    </div>
  </details>`
