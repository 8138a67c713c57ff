import { Schema } from "effect"
import { MeChange } from "../../../manage/access/MeApi.ts"
import { Name, NewPassword } from "../../../../domain/Fields.ts"
import { pathOf } from "../../Navigation.ts"
import type { FieldErrors } from "../../parts/fields/FieldErrors.ts"

export const SETTINGS_PATH = pathOf("settings")

export const CustomerForm = Schema.Struct({ ...MeChange.fields, name: Name })
export const PasswordForm = Schema.Struct({ password: NewPassword })

/** Which form was refused, with what was typed. */
export interface Refused {
  readonly form: "customer" | "password"
  readonly typed: URLSearchParams
  readonly errors: FieldErrors
}
