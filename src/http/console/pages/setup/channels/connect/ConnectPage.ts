import { Effect } from "effect"
import { ProviderAdapters } from "../../../../../../services/provider/ProviderAdapter.ts"
import { emptyForm } from "../../../../frame/forms/Forms.ts"
import type { Page } from "../../../../frame/Layout.ts"
import type { View } from "../../../../frame/SignedRoutes.ts"
import { type FieldErrors, noFieldErrors } from "../../../../parts/fields/FieldErrors.ts"
import { channelName } from "../../../../parts/Text.ts"
import { providerName } from "../AccountWords.ts"
import { connectForm } from "./ConnectForm.ts"
import { type ConnectPlace, ownPlace } from "./ConnectPlace.ts"
import { choiceOf, choose, type Typed } from "./ProviderChoice.ts"

export const connectPage = (
  view: View,
  place: ConnectPlace,
  adapters: ProviderAdapters["Service"],
  typed: Typed,
  errors: FieldErrors
): Page => {
  const { say } = view.locale
  const choice = choiceOf(place, adapters, typed)
  return {
    title: say("Connect an account", "اتصال حساب"),
    name: place.name,
    lead:
      choice === null
        ? say("Choose what sends, and over which channel.", "برگزینید چه چیزی و با کدام کانال بفرستد.")
        : say(
            `${providerName(choice.adapter.name, view.locale)}, for ${channelName(choice.channel, view.locale)}`,
            `${providerName(choice.adapter.name, view.locale)}، برای ${channelName(choice.channel, view.locale)}`
          ),
    content: choice === null ? choose(place, adapters, view) : connectForm(view, place, choice, typed, errors)
  }
}

export const connectPageAt = Effect.fnUntraced(function* (view: View, place: ConnectPlace) {
  const chosen = emptyForm()
  for (const name of ["channel", "provider"]) chosen.set(name, view.query.get(name) ?? "")
  return connectPage(view, place, yield* ProviderAdapters, chosen, noFieldErrors)
})

export const showConnect = (view: View) => connectPageAt(view, ownPlace(view))
