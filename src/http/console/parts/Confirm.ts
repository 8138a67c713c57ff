import { csrfField, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Signed } from "../frame/Layout.ts"
import { addressWith } from "../frame/Visit.ts"

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

interface Question {
  /** What will happen, with the name of what it happens to. */
  readonly question: string
  /** The button that does it: “Delete account”. */
  readonly confirm: string
  /** The way out; “Cancel” by default. */
  readonly dismiss?: string
}

/**
 * A button that asks first, and says what will happen. The console's script makes a modal dialog of the question, which
 * keeps the focus; without it the question opens below its button.
 */
export const confirmButton = (view: Signed, button: PostButton & Question): Html => {
  const { question, confirm, dismiss = view.locale.say("Cancel", "انصراف") } = button
  return html`<details class="confirm">
    <summary class="${classOf(button)}">${button.label}</summary>
    <dialog class="confirm-panel panel" open aria-label="${confirm}">
      <p class="confirm-title" aria-hidden="true">${confirm}</p>
      <p>${question}</p>
      <form class="actions" method="post" action="${button.action}">
        ${fieldsOf(view, button)}<button class="button danger">${confirm}</button>
        <a class="button quiet" href="${addressWith(view, {})}" data-dismiss>${dismiss}</a>
      </form>
    </dialog>
  </details>`
}
