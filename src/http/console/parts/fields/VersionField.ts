import { type Html, html } from "../../frame/Html.ts"
import { CHANGED, type FieldErrors } from "./FieldErrors.ts"

/**
 * The version of which a form shows the values. A form that was refused keeps it, until its page has said that
 * somebody changed it, and shows what is saved now.
 */
export const versionField = (current: number, typed: URLSearchParams | null, errors: FieldErrors): Html => {
  const version = errors.has(CHANGED) ? null : typed?.get("version")
  return html`<input type="hidden" name="version" value="${version ?? current}" />`
}
