import type { Instant } from "../../../domain/Instant.ts"
import {
  type AccountState,
  type Blockage,
  blockageOf,
  type LastCheck,
  type LastError
} from "../../../domain/account/AccountState.ts"
import { mostPerMinute, SkipReason, skipWords } from "../../../domain/account/Pace.ts"
import { sendsNothing } from "../../../domain/customer/Customer.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { badge, stateBadge, type Tone } from "../parts/Badge.ts"
import { isolated, mono } from "../parts/Text.ts"
import { whatWentWrong } from "../runs/FailureTexts.ts"
import type { AccountRecord } from "../../../services/account/Accounts.ts"

const checks = {
  works: ["good", "Works", "کار می‌کند"],
  refused: ["bad", "Refused by the provider", "سرویس‌دهنده رد کرد"],
  not_reached: ["warn", "Provider unreachable", "سرویس‌دهنده در دسترس نبود"],
  cannot_be_checked: ["plain", "Cannot be checked", "قابل بررسی نیست"]
} as const satisfies Readonly<Record<LastCheck["result"], readonly [Tone, string, string]>>

/** The result of the provider's last check. */
export const lastCheck = (check: LastCheck | null, locale: Locale): Html => {
  const { say, time } = locale
  if (check === null) return html`<span class="muted">${say("Never", "بررسی نشده")}</span>`
  const [tone, english, persian] = checks[check.result]
  return html`${badge(tone, say(english, persian))}
    <span class="sub">${time(check.at)}</span>
    ${check.detail !== null && html`<span class="sub">${isolated(check.detail)}</span>`}`
}

/** The last failure of the account that was no recipient's: what it means, and the provider's own words. */
export const lastError = ({ code, message, at }: LastError, locale: Locale): Html =>
  html`${mono(code)}: ${whatWentWrong(code, locale)}
    <span class="sub">${locale.time(at)}</span>
    <span class="sub">${isolated(message)}</span>`

/** Why an account is skipped now, and until when. */
export const blockageText = (blockage: Blockage, { say, number, clock }: Locale): Html => {
  if (blockage._tag === "AtRate") {
    return blockage.until === null
      ? html`${say("The limit for this minute is reached.", "سقف این دقیقه پر است.")}`
      : html`${say("The limit is reached until", "سقف پر است تا")} ${clock(blockage.until)}.`
  }
  if (blockage._tag === "OutOfHours") {
    return html`${say("No calls until", "بدون تماس تا")} ${clock(blockage.until)}.`
  }
  const why =
    blockage.failures > 0
      ? say(`${number(blockage.failures)} consecutive failures`, `${number(blockage.failures)} خطای پشت‌سرهم`)
      : say("its provider asked to slow down", "به درخواست سرویس‌دهنده")
  return html`${say("Cooldown until", "توقف موقت تا")} ${clock(blockage.until)}: ${why}.`
}

const anyBlockage = (state: AccountState, now: Instant): Blockage | null =>
  blockageOf(state, "code", now) ?? blockageOf(state, "text", now)

/** The state of an account, with its reason. */
export const accountState = (
  account: AccountRecord,
  state: AccountState | undefined,
  now: Instant,
  locale: Locale
): Html => {
  if (!account.active) return stateBadge("inactive", locale)
  const blockage = state === undefined ? null : anyBlockage(state, now)
  if (blockage !== null) {
    const name = blockage._tag === "Cooling" ? "cooling" : "at_rate"
    return html`${stateBadge(name, locale)} <span class="sub">${blockageText(blockage, locale)}</span>`
  }
  const checked = state?.lastCheck?.result
  if (checked === "refused") return stateBadge("misconfigured", locale)
  if (sendsNothing(account)) return stateBadge("cannot_send", locale)
  return stateBadge(checked === "not_reached" ? "not_reached" : "active", locale)
}

/** How much of its minute an account has used. The slots of an account without a rate are not counted. */
export const minuteOf = (state: AccountState | undefined, { say, number }: Locale): string => {
  if (state === undefined) return "–"
  const most = mostPerMinute(state)
  if (most === null) return say("No limit", "بدون سقف")
  if (state.perMinute === 0) return say(`At most ${number(most)}`, `حداکثر ${number(most)}`)
  const [used, all] = [number(state.usedOfMinute), number(most)]
  return say(`${used} of ${all}`, `${used} از ${all}`)
}

/** The codes of the last hour that skipped an account, with the reasons; null if none did. */
export const skipsText = ({ skips }: Pick<AccountState, "skips">, { say, number }: Locale): string | null => {
  const named = SkipReason.literals.flatMap((reason) => {
    const count = skips[reason] ?? 0
    return count === 0 ? [] : [{ count, why: say(...skipWords[reason]) }]
  })
  if (named.length === 0) return null
  const total = named.reduce((sum, { count }) => sum + count, 0)
  const reasons = named.map(({ count, why }) => `${why} (${number(count)})`).join(say("; ", "؛ "))
  return say(`${number(total)} in the last hour: ${reasons}`, `${number(total)} در یک ساعت گذشته: ${reasons}`)
}

export const sendsText = ({ sendsCodes, sendsTexts }: AccountRecord, { say }: Locale): string => {
  if (sendsCodes && sendsTexts) return say("Codes, messages", "کد و پیام")
  if (sendsCodes) return say("Codes", "کد")
  return sendsTexts ? say("Messages", "پیام") : say("Nothing: settings incomplete", "هیچ: تنظیمات کامل نیست")
}
