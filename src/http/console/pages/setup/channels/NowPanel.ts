import { type AccountState, blockageOf } from "../../../../../domain/account/AccountState.ts"
import type { Instant } from "../../../../../domain/Instant.ts"
import type { AccountRecord } from "../../../../../services/account/Accounts.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { type Fact, facts } from "../../../parts/Facts.ts"
import {
  accountState,
  blockageWords,
  lastCheck,
  lastError,
  minuteOf,
  sendsWords,
  skipsWords
} from "./AccountWords.ts"

const cooldownFacts = (state: AccountState, now: Instant, { locale }: View): ReadonlyArray<Fact | null> => {
  const { say } = locale
  const [codes, texts] = [blockageOf(state, "code", now), blockageOf(state, "text", now)]
  const isSame = state.codes === state.texts
  return [
    codes !== null && codes._tag === "Cooling"
      ? [
          isSame ? say("Cooldown", "استراحت") : say("Cooldown of codes", "استراحت کدها"),
          blockageWords(codes, locale)
        ]
      : null,
    !isSame && texts !== null && texts._tag === "Cooling"
      ? [say("Cooldown of messages", "استراحت پیام‌ها"), blockageWords(texts, locale)]
      : null
  ]
}

const skipsFact = (state: AccountState, { locale }: View): Fact | null => {
  const words = skipsWords(state, locale)
  return words === null
    ? null
    : [locale.say("Steps of codes that skipped it", "مرحله‌های کد که از آن گذشتند"), words]
}

export const nowPanel = (
  view: View,
  account: AccountRecord,
  state: AccountState | undefined,
  now: Instant
): Html => {
  const { locale } = view
  const { say, seconds, number, time } = locale
  return html`<section class="panel" aria-labelledby="now-title" id="now" data-live="5">
    <div class="panel-head"><h2 id="now-title">${say("Now", "اکنون")}</h2></div>
    <div class="panel-body">
      ${facts([
        [say("State", "وضعیت"), accountState(account, state, now, locale)],
        [say("Sends", "می‌فرستد"), sendsWords(account, locale)],
        [say("This minute", "این دقیقه"), minuteOf(state, locale)],
        ...(state === undefined
          ? []
          : ([
              [say("Gap between sends", "فاصلهٔ دو ارسال"), seconds(state.gapMillis / 1000)],
              skipsFact(state, view),
              [say("Failures in a row", "شکست‌های پشت سر هم"), number(account.failures)],
              ...cooldownFacts(state, now, view),
              [say("Last check", "آخرین بررسی"), lastCheck(state.lastCheck, locale)],
              account.lastError === null
                ? null
                : [say("Last error", "آخرین خطا"), lastError(account.lastError, locale)]
            ] satisfies ReadonlyArray<Fact | null>)),
        [say("Connected", "اتصال"), time(account.createdAt)]
      ])}
    </div>
  </section>`
}
