import qrcode from "qrcode-generator"
import { html, type Html } from "../frame/Html.ts"

/** White around the code, in modules: readers need it. */
const QUIET = 4

/** A QR code of a text, as a drawing in the page: the text leaves it nowhere else. */
export const qrCode = (text: string, label: string): Html => {
  const code = qrcode(0, "M")
  code.addData(text)
  code.make()
  const size = code.getModuleCount()
  const rows = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) =>
      code.isDark(row, column) ? `M${column + QUIET} ${row + QUIET}h1v1h-1z` : ""
    ).join("")
  )
  const edge = size + 2 * QUIET
  return html`<svg class="qr-code" viewBox="0 0 ${edge} ${edge}" role="img" aria-label="${label}">
    <rect width="${edge}" height="${edge}" fill="#fff" />
    <path d="${rows.join("")}" fill="#000" />
  </svg>`
}
