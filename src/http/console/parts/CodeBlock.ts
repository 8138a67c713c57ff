import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { copyButton } from "./CopyButton.ts"

/** Code or a payload, to read and to copy. */
export const codeBlock = (label: string, code: string, locale: Locale): Html =>
  html`<figure class="code-figure">
    <figcaption>
      <span>${label}</span>${copyButton(code, locale.say(`Copy: ${label}`, `کپی: ${label}`), locale)}
    </figcaption>
    <pre class="code-block" tabindex="0" role="region" aria-label="${label}"><code>${code}</code></pre>
  </figure>`
