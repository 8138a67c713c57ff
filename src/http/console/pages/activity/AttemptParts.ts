import type { Delivery } from "../../../../domain/provider/DeliveryReport.ts"
import type { RouteAccount } from "../../../../domain/routing/RouteAccount.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import { channelName, foreign, mono } from "../../parts/Text.ts"
import type { Moment } from "./Timeline.ts"

interface ShownStep extends Pick<RouteAccount, "channel" | "descriptor"> {
  readonly standby?: true
}

/** “Bale → Eitaa → SMS (standby SMS.ir)”, in the direction of the language. */
export const routeWords = (route: ReadonlyArray<ShownStep>, locale: Locale): Html => {
  const { say } = locale
  return html`${route.map(({ channel, descriptor, standby }, index) => {
    if (standby !== true) return html`${index > 0 && say(" → ", " ← ")}${channelName(channel, locale)}`
    const isFirst = route[index - 1]?.standby !== true
    const isLast = route[index + 1]?.standby !== true
    const before = isFirst ? ` (${say("standby", "پشتیبان")} ` : say(", ", "، ")
    return html`${before}${foreign(descriptor.label)}${isLast && ")"}`
  })}`
}

/** The later delivery report on a message that the provider accepted. */
export const deliveryMoment = (
  { status, at, provider_error }: Delivery,
  name: string,
  locale: Locale
): Moment => {
  const { say } = locale
  return status === "delivered"
    ? {
        at,
        tone: "good",
        what: say(`${name} reports: delivered`, `گزارش ${name}: رسید`)
      }
    : {
        at,
        tone: "bad",
        what: say(`${name} reports: not delivered`, `گزارش ${name}: نرسید`),
        words: provider_error
      }
}

/** The account that was called, and the id that the provider gave the message. */
export const callWords = (
  { account_id, channel, descriptor: { label, provider } }: RouteAccount,
  messageId: string | null,
  { say }: Locale
): Html =>
  account_id === null
    ? html`${say("Sandbox: nothing was really sent", "محیط آزمایشی: واقعاً چیزی فرستاده نشد")}`
    : html`${foreign(label)}${provider !== channel && html` · ${provider}`}${
        messageId !== null && html` · ${say("message id", "شناسهٔ پیام")} ${mono(messageId)}`
      }`
