import { mayPerform } from "../../../../services/Action.ts"
import { changeGuard } from "../../../../services/resources/activity/GuardActions.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { pathOf } from "../../Navigation.ts"
import { type FieldErrors, noFieldErrors } from "../../parts/fields/FieldErrors.ts"

export const GUARD_PATH = pathOf("guard")

/** A form of the page; after it was refused, with what was typed. */
export interface ShownForm {
  readonly errors: FieldErrors
  readonly typed: URLSearchParams | null
}

export const untouched: ShownForm = { errors: noFieldErrors, typed: null }

/** Whether the person may change the set-up. */
export const mayChange = ({ actor }: View): boolean => mayPerform(actor, changeGuard.access)
