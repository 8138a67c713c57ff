import { icon } from "../frame/Document.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
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

/** Code or a payload, to read and to copy. */
export const codeBlock = (label: string, code: string, locale: Locale): Html =>
  html`<figure class="code-figure">
    <figcaption>
      <span>${label}</span>${copyButton(code, locale.say(`Copy: ${label}`, `کپی: ${label}`), locale)}
    </figcaption>
    <pre class="code-block" tabindex="0" role="region" aria-label="${label}"><code>${code}</code></pre>
  </figure>`

interface ShownSecret {
  /** “The key”. */
  readonly label: string
  readonly secret: string
  /** Several secrets, one on a line. */
  readonly isMany?: boolean
  /** Its purpose, and the next step. */
  readonly more?: Part
  readonly done: string
}

/** A secret that was just made. No other page shows it. */
export const secretPanel = (
  { label, secret, isMany = false, more, done }: ShownSecret,
  locale: Locale
): Html => {
  const { say } = locale
  return html`<section class="panel" aria-labelledby="secret-title">
    <div class="panel-head"><h2 id="secret-title">${label}</h2></div>
    <div class="panel-body fields">
      <p class="notice warn" role="status">
        ${
          isMany
            ? say(
                "Copy them now and keep them safe. You will not see them again.",
                "همین حالا همه را کپی کنید و جای امنی نگه دارید. دیگر نشان داده نمی‌شوند."
              )
            : say(
                "Copy it now and keep it safe. You will not see it again.",
                "همین حالا کپی کنید و جای امنی نگه دارید. دیگر نشان داده نمی‌شود."
              )
        }
      </p>
      <p class="secret">
        <code>${secret}</code>${copyButton(secret, say(`Copy: ${label}`, `کپی: ${label}`), locale)}
      </p>
      ${more}
      <p><a class="button primary" href="${done}">${say("Done", "ذخیره کردم")}</a></p>
    </div>
  </section>`
}
