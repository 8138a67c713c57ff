import { Clock, Effect } from "effect"
import { blockageOf } from "../../../../../domain/account/AccountState.ts"
import type { AccountSummary } from "../../../../../services/customer/AccountSummaries.ts"
import { AccountStates } from "../../../../../services/resources/accounts/AccountStates.ts"
import { Accounts } from "../../../../../services/resources/accounts/Accounts.ts"
import { Webhooks } from "../../../../../services/resources/Webhooks.ts"
import { icon } from "../../../frame/Document.ts"
import { html, type Html, type Part } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import type { PageName } from "../../../Navigation.ts"
import { badge, stateBadge, type Tone } from "../../../parts/Badge.ts"
import { pageLink } from "../../../parts/PageLink.ts"
import { channelName, foreign } from "../../../parts/Text.ts"

/** Something that is wrong now, and where it is put right. */
interface Concern {
  readonly badge: Html
  readonly what: Part
  readonly page: PageName
  readonly below?: string
  readonly action: string
}

const MAX_LISTED = 100

const accountConcerns = Effect.fnUntraced(function* ({ actor, locale }: View) {
  const { say, number } = locale
  const accounts = yield* Accounts
  const states = yield* AccountStates
  const now = yield* Clock.currentTimeMillis
  const { items } = yield* accounts.list(actor.customerId, { limit: MAX_LISTED, after: null, active: true })
  const byId = yield* states.read(
    actor.customerId,
    items.map(({ id }) => id),
    now
  )
  return items.flatMap(({ id, label, channel }): ReadonlyArray<Concern> => {
    const state = byId.get(id)
    if (state === undefined) return []
    const link = { page: "channels", below: `/${id}`, action: say("See the account", "دیدن حساب") } as const
    const name = html`${foreign(label)} (${channelName(channel, locale)})`
    if (state.lastCheck?.result === "refused")
      return [
        {
          ...link,
          badge: stateBadge("misconfigured", locale),
          what: html`${name}:
          ${say("its provider refused the last check", "سرویس‌دهنده‌اش بررسی آخر را نپذیرفت")}`
        }
      ]
    const blockage = blockageOf(state, "code", now) ?? blockageOf(state, "text", now)
    if (blockage === null) return []
    const until =
      blockage.until === null ? null : html` ${say("until", "تا")} ${locale.clock(blockage.until)}`
    return blockage._tag === "Cooling"
      ? [
          {
            ...link,
            badge: stateBadge("cooling", locale),
            what: html`${name}:
            ${say(
              `${number(blockage.failures)} failures in a row; nothing is sent over it`,
              `${number(blockage.failures)} شکست پیاپی؛ چیزی از آن فرستاده نمی‌شود`
            )}${until}`
          }
        ]
      : [
          {
            ...link,
            badge: stateBadge("at_rate", locale),
            what: html`${name}:
            ${say(
              `${number(state.perMinute)} a minute are used up`,
              `سقف ${number(state.perMinute)} در دقیقه پر است`
            )}`
          }
        ]
  })
})

const hostOf = (url: string): Html => html`<bdi dir="ltr">${URL.parse(url)?.host ?? url}</bdi>`

const webhookConcerns = Effect.fnUntraced(function* ({ actor, locale }: View) {
  const { say } = locale
  const webhooks = yield* Webhooks
  const { items } = yield* webhooks.list(actor.customerId, { limit: MAX_LISTED, after: null })
  return items.flatMap(({ id, url, disabledReason, failingSince }): ReadonlyArray<Concern> => {
    const link = {
      page: "webhooks",
      below: `/${id}`,
      action: say("See its deliveries", "دیدن تحویل‌ها")
    } as const
    if (disabledReason === "gone" || disabledReason === "failing")
      return [
        {
          ...link,
          badge: stateBadge("disabled", locale),
          what: html`${hostOf(url)}:
          ${
            disabledReason === "gone"
              ? say("it answered 410, so it gets no more events", "پاسخ ۴۱۰ داد و دیگر رویدادی نمی‌گیرد")
              : say(
                  "it failed for days, so it gets no more events",
                  "روزها ناموفق بود و دیگر رویدادی نمی‌گیرد"
                )
          }`
        }
      ]
    return failingSince === null || disabledReason !== null
      ? []
      : [
          {
            ...link,
            badge: badge("warn", say("Failing", "ناموفق")),
            what: html`${hostOf(url)}: ${say("no event was accepted since", "رویدادی پذیرفته نشده از")}
            ${locale.time(failingSince)}`
          }
        ]
  })
})

/** The used share of a quota from which on it needs attention. */
const NEAR = 0.8
/** A wallet needs attention if it has money for fewer sends, at the highest price. */
const SENDS_LEFT = 100

const moneyConcerns = (
  { wallet, quota, prices }: AccountSummary,
  { locale }: View
): ReadonlyArray<Concern> => {
  const { say, number } = locale
  const tone = (isOver: boolean): Tone => (isOver ? "bad" : "warn")
  const available = wallet === null ? null : wallet.balance - wallet.held
  const price = Math.max(...Object.values(prices))
  const isLow = available !== null && price > 0 && available < price * SENDS_LEFT
  const isNear = quota !== null && quota.used >= quota.limit * NEAR
  return [
    ...(isLow
      ? [
          {
            badge: badge(tone(available < price), say("Wallet low", "موجودی کم")),
            what: say(
              `${locale.rials(available)} are left: about ${number(Math.floor(available / price))} sends.`,
              `${locale.rials(available)} مانده است: نزدیک ${number(Math.floor(available / price))} ارسال.`
            ),
            page: "wallet" as const,
            action: say("See the wallet", "دیدن کیف پول")
          }
        ]
      : []),
    ...(isNear
      ? [
          {
            badge: badge(tone(quota.used >= quota.limit), say("Quota", "سهمیه")),
            what: html`${say(
              `${number(quota.used)} of ${number(quota.limit)} sends of this month are used; it begins again on`,
              `${number(quota.used)} از ${number(quota.limit)} ارسال این ماه مصرف شد؛ از نو از`
            )}
            ${locale.time(quota.resetsAt)}`,
            page: "usage" as const,
            action: say("See the usage", "دیدن مصرف")
          }
        ]
      : [])
  ]
}

/** The present problems, each with a link to the page that solves it; nothing when all is well. */
export const concernsPart = Effect.fnUntraced(function* (view: View, summary: AccountSummary) {
  const { say } = view.locale
  const [accounts, webhooks] = yield* Effect.all([accountConcerns(view), webhookConcerns(view)], {
    concurrency: "unbounded"
  })
  const concerns = [...accounts, ...webhooks, ...moneyConcerns(summary, view)]
  if (concerns.length === 0)
    return html`<p class="all-well">
      ${icon("check")}${say("Nothing needs your attention.", "چیزی نیاز به رسیدگی ندارد.")}
    </p>`
  return html`<section class="panel concerns" aria-labelledby="concerns">
    <div class="panel-head"><h2 id="concerns">${say("Needs attention", "نیاز به رسیدگی")}</h2></div>
    <ul>
      ${concerns.map(
        (concern) =>
          html`<li>
            ${concern.badge}<span class="what">${concern.what}</span>${pageLink(
              view,
              concern.page,
              html`${concern.action}`,
              concern.below
            )}
          </li>`
      )}
    </ul>
  </section>`
})
