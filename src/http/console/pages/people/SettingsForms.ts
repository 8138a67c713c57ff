import { pathOf } from "../../Navigation.ts"
import type { FieldErrors } from "../../parts/fields/FieldErrors.ts"

export const SETTINGS_PATH = pathOf("settings")

/** Which form was refused, with what was typed. */
export interface Refused {
  readonly form: "customer" | "password"
  readonly typed: URLSearchParams
  readonly errors: FieldErrors
}
