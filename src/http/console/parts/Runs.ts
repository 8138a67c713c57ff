import { WEBHOOK_TRY_MILLIS } from "../../../domain/Webhook.ts"
import { isUncertain } from "../../../domain/ProviderOutcome.ts"
import type { Attempt } from "../../../domain/verification/Verification.ts"
import { isTaken, type WebhookDelivery, type WebhookTry } from "../../../domain/Webhook.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { badge, stateBadge, stateTone, stateText } from "./Badge.ts"
import { channelName, isolated } from "./Text.ts"

export interface Hop {
  readonly channel: string
  /** A state of `Badge.ts`. */
  readonly state: string
}

/** The channels that were tried, with what came of each: one after the other, or at once, which has no arrows. */
export const hops = (all: ReadonlyArray<Hop>, locale: Locale, isAtOnce = false): Html =>
  all.length === 0
    ? html`<span class="muted">–</span>`
    : html`<ol class="hops ${isAtOnce && "at-once"}">
        ${all.map(
          ({ channel, state }) =>
            html`<li class="hop" title="${stateText(state, locale)}">
              <span class="mark ${stateTone(state)}"></span>${channelName(channel, locale)}
              <span class="hidden">: ${stateText(state, locale)}</span>
            </li>`
        )}
      </ol>`

/** The response to a try: its status, or why there is none. */
export const tryBadge = ({ status, error }: Pick<WebhookTry, "status" | "error">): Html =>
  status === null
    ? html`${badge("bad", "–")} ${isolated(error ?? "")}`
    : badge(isTaken(status) ? "good" : "bad", String(status))

const MAX_TRIES = WEBHOOK_TRY_MILLIS.length

/** The state of a delivery; of one that failed and is tried again, how far it is. */
export const deliveryBadge = (
  { status, tries }: Pick<WebhookDelivery, "status" | "tries">,
  locale: Locale
): Html => {
  const last = tries.at(-1)
  if (status !== "pending" || last === undefined || isTaken(last.status)) return stateBadge(status, locale)
  const { say, number } = locale
  const [made, most] = [number(tries.length), number(MAX_TRIES)]
  return badge(
    "warn",
    // a replay begins again, with the earlier tries in its history
    tries.length > MAX_TRIES
      ? say(`Retrying, ${made} tries`, `تلاش دوباره، ${made} بار`)
      : say(`Retrying, ${made} of ${most}`, `تلاش دوباره، ${made} از ${most}`)
  )
}

export type AttemptOutcome = Pick<Attempt, "error_code" | "delivery"> & { readonly status: string }

/** The state of an attempt as people see it: a delivery report says more than "sent". */
export const attemptState = ({ status, error_code, delivery }: AttemptOutcome): string =>
  status === "failed" ? (isUncertain({ error_code }) ? "unknown" : "failed") : (delivery?.status ?? status)
