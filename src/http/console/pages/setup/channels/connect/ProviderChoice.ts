import { type Channel, isChannel } from "../../../../../../domain/routing/Channel.ts"
import type {
  ProviderAdapter,
  ProviderAdapters
} from "../../../../../../services/provider/ProviderAdapter.ts"
import { icon } from "../../../../frame/Document.ts"
import { html, type Html } from "../../../../frame/Html.ts"
import type { View } from "../../../../frame/SignedRoutes.ts"
import { channelName } from "../../../../parts/Text.ts"
import { providerName } from "../AccountWords.ts"
import type { ConnectPlace } from "./ConnectPlace.ts"

export interface Choice {
  readonly channel: Channel
  readonly adapter: ProviderAdapter
}

/** The fields of the form; a new form has none. */
export type Typed = Pick<URLSearchParams, "get" | "has">

/** Those of one channel before those that serve any. */
const connectable = (adapters: ProviderAdapters["Service"]): ReadonlyArray<ProviderAdapter> =>
  [...adapters.values()]
    .filter(({ switchedOff }) => switchedOff === undefined)
    .toSorted((a, b) => a.channels.length - b.channels.length)

export const choiceOf = (
  { channels }: ConnectPlace,
  adapters: ProviderAdapters["Service"],
  typed: Typed
): Choice | null => {
  const channel = typed.get("channel") ?? ""
  const adapter = connectable(adapters).find(({ name }) => name === typed.get("provider"))
  if (adapter === undefined || !isChannel(channel) || !channels.includes(channel)) return null
  return adapter.channels.includes(channel) ? { channel, adapter } : null
}

const choiceLink = (path: string, channel: Channel, { name }: ProviderAdapter, { locale }: View): Html =>
  html`<li>
    <a class="choice-card" href="${path}?${String(new URLSearchParams({ channel, provider: name }))}">
      <span>${providerName(name, locale)}</span>
      <span class="onwards">${icon("arrow")}</span>
    </a>
  </li>`

/** The first step: what sends, and over which channel. */
export const choose = (
  { channels: offered, connectPath }: ConnectPlace,
  adapters: ProviderAdapters["Service"],
  view: View
): Html =>
  html`<div class="choice-groups">
    ${offered.map(
      (channel) =>
        html`<section class="panel" aria-labelledby="channel-${channel}">
          <div class="panel-head"><h2 id="channel-${channel}">${channelName(channel, view.locale)}</h2></div>
          <ul class="panel-body choice-cards">
            ${connectable(adapters)
              .filter(({ channels }) => channels.includes(channel))
              .map((adapter) => choiceLink(connectPath, channel, adapter, view))}
          </ul>
        </section>`
    )}
  </div>`
