import { NewTemplate } from "../../../../manage/setup/TemplatesApi.ts"
import { formErrorsOf } from "../../../frame/forms/ShownAgain.ts"
import { decodeInput } from "../../../../errors/SchemaErrors.ts"
import type { ConsoleError } from "../../../frame/Refusals.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"

export interface Shown {
  /** Null: nothing was typed yet. */
  readonly typed: URLSearchParams | null
  readonly errors: FieldErrors
}

export const untouched: Shown = { typed: null, errors: noFieldErrors }

/** A textarea sends lines with CR LF; templates have LF. */
const bodyIn = (typed: URLSearchParams): string => (typed.get("body") ?? "").replaceAll("\r\n", "\n")

export const typedOr = ({ typed }: Shown) => ({
  name: (stored: string) => typed?.get("name") ?? stored,
  body: (stored: string) => (typed === null ? stored : bodyIn(typed)),
  sample: (name: string) => typed?.get(name) ?? null
})

export const readTemplate = (typed: URLSearchParams) =>
  decodeInput(NewTemplate, { name: (typed.get("name") ?? "").trim(), body: bodyIn(typed) })

export const isPreview = (typed: URLSearchParams): boolean => typed.get("do") === "preview"

export const refusedFields = (error: ConsoleError, { locale }: View): FieldErrors | null => {
  const errors = formErrorsOf(error, locale)
  return errors.size === 0 ? null : errors
}
