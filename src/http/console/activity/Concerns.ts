import { Clock, Effect } from "effect"
import { isQuotaNear, lowWallet } from "../../../domain/alert/AlertRules.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Problem } from "../../../domain/Problem.ts"
import { type AccountState, blockageOf } from "../../../domain/account/AccountState.ts"
import type { PageName } from "../Navigation.ts"
import { setUpGuide } from "./SetUpGuide.ts"
import { skipsText } from "../account/AccountText.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { refusalOf } from "../frame/Refusals.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { reasonText } from "../GuardAlarms.ts"
import { badge, stateBadge, type Tone } from "../parts/Badge.ts"
import { pageLink } from "../parts/Panels.ts"
import { channelName, channelSubject, isolated } from "../parts/Text.ts"
import { type ErrorCode, errorTable } from "../../errors/ErrorTable.ts"
import { AccountStates } from "../../../services/account/AccountHistories.ts"
import { type AccountRecord, Accounts, FIRST_ACCOUNTS } from "../../../services/account/Accounts.ts"
import type { AccountSummary } from "../../../services/activity/AccountSummaries.ts"
import { type SetUpConcern, SetUpConcerns } from "../../../services/customer/SetUpConcerns.ts"
import { Webhooks } from "../../../services/webhook/Webhooks.ts"

/** Something that is wrong now, and where it is put right. */
interface Concern {
  readonly badge: Html
  readonly what: Part
  readonly page: PageName
  readonly below?: string
  readonly action: string
}

const MAX_LISTED = 100

const accountLink = ({ id }: Pick<AccountRecord, "id">, { say }: Locale) =>
  ({ page: "channels", below: `/${id}`, action: say("View account", "دیدن حساب") }) as const

const accountName = ({ label, channel }: Pick<AccountRecord, "label" | "channel">, locale: Locale): Html =>
  html`${isolated(label)} (${channelName(channel, locale)})`

/** What holds an account up now, and passes by itself. */
const blockageConcern = (
  account: AccountRecord,
  state: AccountState | undefined,
  now: Instant,
  locale: Locale
): ReadonlyArray<Concern> => {
  const { say, number } = locale
  const blockage =
    state === undefined ? null : (blockageOf(state, "code", now) ?? blockageOf(state, "text", now))
  if (state === undefined || blockage === null) return []
  const name = accountName(account, locale)
  const link = accountLink(account, locale)
  const until = blockage.until === null ? null : html` ${say("until", "تا")} ${locale.clock(blockage.until)}`
  const failures = say(
    `${number(blockage._tag === "Cooling" ? blockage.failures : 0)} consecutive failures; not used`,
    `${number(blockage._tag === "Cooling" ? blockage.failures : 0)} خطای پشت‌سرهم؛ استفاده نمی‌شود`
  )
  const used = say(
    `its limit of ${number(state.perMinute)} a minute is reached`,
    `سقف ${number(state.perMinute)} ارسال در دقیقه پر است`
  )
  return [
    blockage._tag === "Cooling"
      ? { ...link, badge: stateBadge("cooling", locale), what: html`${name}: ${failures}${until}` }
      : { ...link, badge: stateBadge("at_rate", locale), what: html`${name}: ${used}` }
  ]
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

const stepReason = (code: string, problem: Problem | null, locale: Locale): string => {
  if (!isErrorCode(code)) return code
  const refusal = refusalOf({ _tag: code, problem: problem ?? undefined }, locale)
  return [refusal.text, ...refusal.reasons].join(" ")
}

type OfAccount = Extract<SetUpConcern, { readonly account: unknown }>

const ofAccount = (concern: OfAccount, locale: Locale): Concern => {
  const { say, number } = locale
  const link = accountLink(concern.account, locale)
  const name = accountName(concern.account, locale)
  switch (concern._tag) {
    case "AccountRefused":
      return {
        ...link,
        badge: stateBadge("misconfigured", locale),
        what: html`${name}: ${say("refused by the provider:", "سرویس‌دهنده رد کرد:")}
        ${isolated(concern.error.message)}`
      }
    case "AccountSendsNothing":
      return {
        ...link,
        badge: stateBadge("cannot_send", locale),
        what: html`${name}: ${say("settings incomplete", "تنظیمات کامل نیست")}`
      }
    case "AccountNotReached":
      return {
        ...link,
        badge: stateBadge("not_reached", locale),
        what: html`${name}:
        ${say("the provider was unreachable at the last check", "در آخرین بررسی، سرویس‌دهنده در دسترس نبود")}`
      }
    case "AccountSkipped": {
      const most =
        concern.most === null
          ? ""
          : say(`at most ${number(concern.most)} a minute; `, `حداکثر ${number(concern.most)} در دقیقه؛ `)
      return {
        ...link,
        badge: badge("warn", say("Skipped", "امتحان نشد")),
        what: html`${name}: ${most}${say("skipped by codes:", "برای کد امتحان نشد:")}
        ${skipsText(concern, locale)}`
      }
    }
  }
}

/** What a person has to put right: the findings that `peyk doctor` has, too. */
const setUpConcern = (concern: SetUpConcern, locale: Locale): Concern => {
  if ("account" in concern) return ofAccount(concern, locale)
  const { say, number } = locale
  switch (concern._tag) {
    case "StepCannotSend":
      return {
        page: "routing",
        action: say("View routing", "ترتیب ارسال"),
        badge: badge("bad", say("Cannot send", "ارسال ممکن نیست")),
        what: html`${say(`${channelName(concern.channel, locale)} in the saved order:`, `گام ${channelName(concern.channel, locale)} در ترتیب ذخیره‌شده:`)}
        ${stepReason(concern.code, concern.problem, locale)}`
      }
    case "ChannelDeliversNothing":
      return {
        page: "verifications",
        below: `?channel=${concern.channel}`,
        action: say("View codes", "دیدن کدها"),
        badge: badge("bad", say("Not delivered", "تحویل نمی‌شود")),
        what: say(
          `${channelName(concern.channel, locale)}: of ${number(concern.codes)} codes in the last 24 hours, none was delivered or verified.`,
          `${channelSubject(concern.channel, locale)}: از ${number(concern.codes)} کد ۲۴ ساعت گذشته، هیچ‌کدام تحویل یا تأیید نشد.`
        )
      }
    case "GuardAlarms":
      return {
        page: "guard",
        action: say("View alarms", "دیدن هشدارها"),
        badge: badge("warn", say("Guard", "نگهبان")),
        what: html`${say(
          concern.open === 1 ? "1 open alarm:" : `${number(concern.open)} open alarms, the newest:`,
          concern.open === 1 ? "۱ هشدار باز:" : `${number(concern.open)} هشدار باز، جدیدترین:`
        )}
        ${reasonText(concern, locale)}, ${say("since", "از")} ${locale.time(concern.since)}`
      }
  }
}

const idsOf = (concerns: ReadonlyArray<SetUpConcern>): ReadonlySet<number> =>
  new Set(concerns.flatMap((each) => ("account" in each ? [each.account.id] : [])))

const sendingConcerns = Effect.fnUntraced(function* ({ actor, locale }: View) {
  const accounts = yield* Accounts
  const states = yield* AccountStates
  const now = yield* Clock.currentTimeMillis
  const [lasting, { items }] = yield* Effect.all(
    [
      Effect.flatMap(SetUpConcerns, (concerns) => concerns.read(actor.customerId, now)),
      accounts.list(actor.customerId, { ...FIRST_ACCOUNTS, active: true })
    ],
    { concurrency: "unbounded" }
  )
  const byId = yield* states.read(
    actor.customerId,
    items.map(({ id }) => id),
    now
  )
  const named = idsOf(lasting)
  return [
    ...lasting.map((concern) => setUpConcern(concern, locale)),
    ...items
      .filter(({ id }) => !named.has(id))
      .flatMap((account) => blockageConcern(account, byId.get(account.id), now, locale))
  ]
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
      action: say("View deliveries", "دیدن ارسال‌ها")
    } as const
    if (disabledReason === "gone" || disabledReason === "failing")
      return [
        {
          ...link,
          badge: stateBadge("disabled", locale),
          what: html`${hostOf(url)}:
          ${
            disabledReason === "gone"
              ? say(
                  "it responded with 410 and receives no more events",
                  "با ۴۱۰ پاسخ داد و دیگر رویدادی نمی‌گیرد"
                )
              : say(
                  "it failed for days and receives no more events",
                  "چند روز ناموفق بود و دیگر رویدادی نمی‌گیرد"
                )
          }`
        }
      ]
    return failingSince === null || disabledReason !== null
      ? []
      : [
          {
            ...link,
            badge: badge("bad", say("Failing", "ناموفق")),
            what: html`${hostOf(url)}: ${say("no event accepted since", "هیچ رویدادی پذیرفته نشده، از")}
            ${locale.time(failingSince)}`
          }
        ]
  })
})

const moneyConcerns = (
  { wallet, quota, prices }: AccountSummary,
  { locale }: View
): ReadonlyArray<Concern> => {
  const { say, number } = locale
  const tone = (isOver: boolean): Tone => (isOver ? "bad" : "warn")
  const low = lowWallet({ wallet, quota, prices })
  return [
    ...(low !== null
      ? [
          {
            badge: badge(tone(low.isEmpty), say("Low balance", "موجودی کم")),
            what: say(
              `${locale.rials(low.available)} left: about ${number(low.sends)} sends.`,
              `${locale.rials(low.available)} مانده است: حدود ${number(low.sends)} ارسال.`
            ),
            page: "wallet" as const,
            action: say("View wallet", "دیدن کیف پول")
          }
        ]
      : []),
    ...(quota !== null && isQuotaNear({ quota })
      ? [
          {
            badge: badge(tone(quota.used >= quota.limit), say("Quota", "سهمیه")),
            what: html`${say(
              `${number(quota.used)} of ${number(quota.limit)} sends of this month used. Resets on`,
              `${number(quota.used)} از ${number(quota.limit)} ارسال این ماه مصرف شده است. شروع دورهٔ بعد:`
            )}
            ${locale.time(quota.resetsAt)}`,
            page: "usage" as const,
            action: say("View usage", "دیدن مصرف")
          }
        ]
      : [])
  ]
}

/** What is left to set up, and the present problems, each with a link to the page that solves it. */
export const concernsPart = Effect.fnUntraced(function* (view: View, summary: AccountSummary) {
  const { say } = view.locale
  const [guide, accounts, webhooks] = yield* Effect.all(
    [setUpGuide(view), sendingConcerns(view), webhookConcerns(view)],
    { concurrency: "unbounded" }
  )
  const concerns = [...accounts, ...webhooks, ...moneyConcerns(summary, view)]
  if (concerns.length === 0)
    return (
      guide ??
      html`<p class="all-well">
        ${icon("check")}${say("All good. Nothing needs attention.", "همه‌چیز مرتب است.")}
      </p>`
    )
  return html`${guide}
    <section class="panel concerns" aria-labelledby="concerns">
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
