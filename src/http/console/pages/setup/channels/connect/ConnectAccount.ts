import { Effect, Schema } from "effect"
import { fieldError } from "../../../../../../domain/Errors.ts"
import { ProviderAdapters } from "../../../../../../services/provider/ProviderAdapter.ts"
import { settingFields, typedSettings } from "../../../../../../services/provider/SettingFields.ts"
import { Accounts } from "../../../../../../services/resources/accounts/Accounts.ts"
import { accountEntry, examineFirst } from "../../../../../../services/resources/accounts/AccountWrites.ts"
import { NewAccountBody } from "../../../../../manage/setup/AccountsApi.ts"
import { answerPage, seeOther } from "../../../../frame/Answers.ts"
import { decodeInput } from "../../../../../errors/SchemaErrors.ts"
import { writeOnce } from "../../../../frame/forms/Writes.ts"
import { type ConsoleError, refusalOf } from "../../../../frame/Refusals.ts"
import type { View } from "../../../../frame/SignedRoutes.ts"
import { type FieldErrors, fieldErrorsOf } from "../../../../parts/fields/FieldErrors.ts"
import { withNotice } from "../../../../parts/Notice.ts"
import { savedNotice, uncheckedWay } from "../AccountForms.ts"
import { connectPage } from "./ConnectPage.ts"
import { type ConnectPlace, ownPlace } from "./ConnectPlace.ts"
import { choiceOf } from "./ProviderChoice.ts"
import { bySetting, inputName } from "../SettingInputs.ts"
import { problem } from "../../../../../../domain/Problem.ts"

const wrongFields = (error: ConsoleError, { locale }: View): FieldErrors => {
  const errors = fieldErrorsOf(error, locale)
  return errors.size > 0 ? errors : new Map([["settings", refusalOf(error, locale).text]])
}

/** Connects the account that a form describes, unless its provider refuses it. `view` is whose change it is. */
export const connectAt = (view: View, place: ConnectPlace, typed: URLSearchParams) =>
  Effect.gen(function* () {
    const { owner } = place
    const adapters = yield* ProviderAdapters
    const choice = choiceOf(place, adapters, typed)
    if (choice === null) return yield* fieldError("provider", problem("provider_required"))
    const fields = settingFields(choice.adapter.settings)
    const settings = typedSettings(fields, (name) => typed.get(inputName(name)))
    const { channel, provider, label } = yield* decodeInput(NewAccountBody, {
      channel: choice.channel,
      provider: choice.adapter.name,
      label: typed.get("label")?.trim(),
      settings
    })
    const accounts = yield* Accounts
    const finding = typed.has("check")
      ? yield* Effect.mapError(
          examineFirst(owner, { channel, provider, settings }, uncheckedWay(view)),
          bySetting(fields)
        )
      : undefined
    const isDefault = owner !== null && typed.has("default")
    const connected = Effect.map(
      accounts.connect(owner, { channel, provider, label, settings, isDefault, finding }),
      ({ id }) => ({ result: id, audit: accountEntry("connect", id, { channel, provider, label }) })
    )
    const id = yield* Effect.mapError(
      writeOnce(view, "account.connect", Schema.Int, connected),
      bySetting(fields)
    )
    const notice = savedNotice("created", yield* accounts.find(owner, id), finding)
    return seeOther(withNotice(place.pathOfAccount(id), notice))
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
