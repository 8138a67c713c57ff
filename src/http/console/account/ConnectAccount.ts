import { Effect, Schema } from "effect"
import { fieldError } from "../../../domain/Errors.ts"
import { problem } from "../../../domain/Problem.ts"
import { savedNotice, typedConnection } from "./AccountForms.ts"
import { choiceOf, connectPage, type ConnectPlace, ownPlace } from "./ConnectPage.ts"
import { bySetting } from "./SettingInputs.ts"
import { creating, onceFormAction } from "../forms/ActionForms.ts"
import { type FieldErrors, fieldErrorsOf } from "../forms/FieldErrors.ts"
import { answerPage, seeOther } from "../frame/Answers.ts"
import { type ConsoleError, refusalOf } from "../frame/Refusals.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { withNotice } from "../parts/Notice.ts"
import { connectAccount as connect } from "../../../services/account/AccountActions.ts"
import { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"

const wrongFields = (error: ConsoleError, { locale }: View): FieldErrors => {
  const errors = fieldErrorsOf(error, locale)
  return errors.size > 0 ? errors : new Map([["settings", refusalOf(error, locale).text]])
}

/** The account, and what its page says of it. */
const Connected = Schema.Struct({
  id: Schema.Int,
  notice: Schema.Literals(["created", "created_incomplete", "created_not_reached"])
})

/** Connects the account that a form describes, unless its provider refuses it. `view` is whose change it is. */
export const connectAt = (view: View, place: ConnectPlace, typed: URLSearchParams) =>
  Effect.gen(function* () {
    const choice = choiceOf(place, yield* ProviderAdapters, typed)
    if (choice === null) return yield* fieldError("provider", problem("provider_required"))
    const { channel, adapter } = choice
    const { fields, input } = yield* typedConnection(adapter.name, typed)
    const save = onceFormAction(connect, {
      target: creating,
      input: () => ({
        ...input,
        channel,
        provider: adapter.name,
        label: typed.get("label")?.trim(),
        default: place.owner !== null && typed.has("default")
      }),
      shown: Connected,
      show: (saved) => ({ id: saved.account.id, notice: savedNotice("created", saved) }),
      done: (_, { id, notice }) => seeOther(withNotice(place.pathOfAccount(id), notice))
    })
    return yield* Effect.mapError(save(view, typed), bySetting(fields))
  }).pipe(
    Effect.catch((error: ConsoleError) =>
      Effect.map(ProviderAdapters, (adapters) => {
        const { status, headers } = refusalOf(error, view.locale)
        return answerPage(view, connectPage(view, place, adapters, typed, wrongFields(error, view)), {
          status,
          headers
        })
      })
    )
  )

export const connectAccount = (view: View, typed: URLSearchParams) => connectAt(view, ownPlace(view), typed)
