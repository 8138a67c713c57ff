import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"

/** The notice of a page whose figures are not complete yet. */
export const stillSummingUp = ({ say }: Locale): Html =>
  html`<p class="notice" role="status">
    ${say("Older sends are being summed up; the figures grow for a moment.", "ارسال‌های قدیمی‌تر جمع زده می‌شوند؛ ارقام تا لحظه‌ای دیگر کامل می‌شوند.")}
  </p>`
