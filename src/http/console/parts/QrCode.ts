import { encode } from "uqr"
import { html, type Html } from "../frame/Html.ts"

/** White around the code, in modules: readers need it. */
const QUIET = 4

/** A QR code of a text, as a drawing in the page: the text leaves it nowhere else. */
export const qrCode = (text: string, label: string): Html => {
  const { data, size } = encode(text, { ecc: "M", border: QUIET })
  const rows = data.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join(""))
  return html`<svg class="qr-code" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${rows.join("")}" fill="#000" />
  </svg>`
}
