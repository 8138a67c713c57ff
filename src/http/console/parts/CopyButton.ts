import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"

/** Copies `value`; shown where there is JavaScript. `what` is for those who hear the page: “Copy the id”. */
export const copyButton = (value: string, what: string, { say }: Locale): Html =>
  html`<button
    type="button"
    class="copy"
    data-copy="${value}"
    data-copied="${say("Copied", "کپی شد")}"
    hidden
  >
    ${icon("copy")}<span class="hidden">${what}</span>
  </button>`
