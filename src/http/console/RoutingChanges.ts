import { type Option, Schema } from "effect"
import { RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import type { Locale } from "./frame/Locale.ts"
import { channelName } from "./parts/Text.ts"

/** An order of channels, as saved or as the audit log has it. */
const Order = Schema.Struct({
  order: Schema.optionalKey(Schema.NullOr(StepOrder)),
  steps: Schema.Array(RoutingStep)
})
export type Order = typeof Order.Type

/** An order in the audit log; none if the log has something else there. */
export const readOrder: (given: unknown) => Option.Option<Order> = Schema.decodeUnknownOption(Order)

/** “Bale → SMS” */
export const orderText = ({ steps }: Order, locale: Locale): string =>
  steps.length === 0
    ? locale.say("no channels", "بدون کانال")
    : steps.map(({ channel }) => channelName(channel, locale)).join(locale.say(" → ", " ← "))

/** “60 → 75 s”; arrows would point the wrong way in Persian. */
export const fromTo = (earlier: string, later: string, { say }: Locale): string =>
  say(`${earlier} → ${later}`, `از ${earlier} به ${later}`)

const waitText = (wait: RoutingStep["wait"], { say, seconds }: Locale): string =>
  wait === undefined
    ? say("default", "پیش‌فرض")
    : wait === "measured"
      ? say("measured", "بر اساس آمار")
      : seconds(wait)

const waitChange = (earlier: RoutingStep["wait"], later: RoutingStep["wait"], locale: Locale): string =>
  typeof earlier === "number" && typeof later === "number"
    ? fromTo(locale.number(earlier), locale.seconds(later), locale)
    : fromTo(waitText(earlier, locale), waitText(later, locale), locale)

const accountText = ({ account_id, sender }: RoutingStep, { say }: Locale): string =>
  sender === "shared"
    ? say("the shared sender", "فرستندهٔ مشترک")
    : account_id === undefined
      ? say("the default", "پیش‌فرض")
      : `#${account_id}`

const stepChanges = (earlier: RoutingStep, later: RoutingStep, locale: Locale): ReadonlyArray<string> => {
  const { say } = locale
  const name = channelName(later.channel, locale)
  const template = ({ template_id }: RoutingStep) =>
    template_id === undefined ? say("default", "پیش‌فرض") : `#${template_id}`
  return [
    ...(earlier.wait === later.wait
      ? []
      : [
          say("wait of ", "انتظار ") +
            `${name}${say(" ", ": ")}${waitChange(earlier.wait, later.wait, locale)}`
        ]),
    ...(accountText(earlier, locale) === accountText(later, locale)
      ? []
      : [
          say("account of ", "حساب ") +
            `${name}${say(" ", ": ")}${fromTo(accountText(earlier, locale), accountText(later, locale), locale)}`
        ]),
    ...(template(earlier) === template(later)
      ? []
      : [
          say("text of ", "متن ") +
            `${name}${say(" ", ": ")}${fromTo(template(earlier), template(later), locale)}`
        ]),
    ...(earlier.on_request === later.on_request
      ? []
      : [
          later.on_request === true
            ? say(`${name} only on request`, `${name} فقط با درخواست`)
            : say(`${name} in its turn`, `${name} به نوبت`)
        ])
  ]
}

const isMoved = (earlier: Order, later: Order): boolean => {
  const both = ({ steps }: Order, other: Order) =>
    steps.map(({ channel }) => channel).filter((name) => other.steps.some(({ channel }) => channel === name))
  return both(earlier, later).join() !== both(later, earlier).join()
}

const choiceText = ({ order }: Order, { say }: Locale): string =>
  order === "measured" ? say("measured", "بر اساس آمار") : say("as the steps stand", "به ترتیب گام‌ها")

/** What one order has changed of another, in words; empty: nothing. */
export const routingChanges = (earlier: Order, later: Order, locale: Locale): ReadonlyArray<string> => {
  const { say } = locale
  const stepIn = ({ steps }: Order, name: string) => steps.find(({ channel }) => channel === name)
  const added = later.steps.filter(({ channel }) => stepIn(earlier, channel) === undefined)
  const removed = earlier.steps.filter(({ channel }) => stepIn(later, channel) === undefined)
  return [
    ...added.map(({ channel }) => say("added ", "افزودن ") + channelName(channel, locale)),
    ...removed.map(({ channel }) => say("removed ", "برداشتن ") + channelName(channel, locale)),
    ...(isMoved(earlier, later)
      ? [say(`order now ${orderText(later, locale)}`, `ترتیب جدید ${orderText(later, locale)}`)]
      : []),
    ...later.steps.flatMap((step) => {
      const known = stepIn(earlier, step.channel)
      return known === undefined ? [] : stepChanges(known, step, locale)
    }),
    ...(choiceText(earlier, locale) === choiceText(later, locale)
      ? []
      : [
          say("first channel: ", "کانال اول: ") +
            fromTo(choiceText(earlier, locale), choiceText(later, locale), locale)
        ])
  ]
}
