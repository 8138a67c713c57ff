import { type Array as Arr, Schema } from "effect"
import {
  type CodeText,
  DEFAULT_LOCALE,
  Locale,
  ownCodeText,
  renderCodeText,
  spokenCodeText,
  textOver
} from "../verification/CodeText.ts"
import { Channel, ChannelDescriptor } from "./Channel.ts"

/** The account that sends on a channel. */
export const RouteAccount = Schema.Struct({
  channel: Channel,
  /** Null in sandbox. */
  account_id: Schema.NullOr(Schema.Int),
  /** The price of a successful send, in rials; absent: none. */
  price: Schema.optionalKey(Schema.Int),
  /** Its provider recognizes a send by its id; absent: it does not. */
  deduplicates: Schema.optionalKey(Schema.Literal(true)),
  /** Its provider has delivery reports; absent: it does not. */
  reportsDelivery: Schema.optionalKey(Schema.Literal(true)),
  descriptor: ChannelDescriptor
})
export type RouteAccount = typeof RouteAccount.Type

/** The account of a step of this route. */
export const accountAt = <Step extends RouteAccount>(
  { route }: { readonly route: Arr.NonEmptyReadonlyArray<Step> },
  step: number
): Step => route[step] ?? route[0]

/** Why a step has its place. */
const MeasuredPosition = Schema.Struct({
  /** The share of codes that are verified on this channel if it is tried first, with this operator. */
  conversion: Schema.Number,
  /** The customer's codes behind it; older ones count less. */
  codes: Schema.Int,
  verified: Schema.Int,
  /** It is first only to see how it does. */
  explored: Schema.optionalKey(Schema.Literal(true))
})
type MeasuredPosition = typeof MeasuredPosition.Type

/**
 * Steps of a route, in a request or in a saved order. That is more than there are channels: one can appear several times,
 * with different accounts.
 */
export const MAX_STEPS = 20

/** One step of a code's route: which account sends, and how many seconds to wait before the next. */
export const RouteStep = Schema.Struct({
  ...RouteAccount.fields,
  wait: Schema.Int,
  /** Whether the request named the channels, or the saved routing order did; absent in the sandbox. */
  source: Schema.optionalKey(Schema.Literals(["request", "saved"])),
  /** The text of the code on this step; absent: the verification's text. */
  textBody: Schema.optionalKey(Schema.String),
  /** The customer's template that the text is of; absent: none. */
  template: Schema.optionalKey(Schema.Int),
  /** The language in which a call reads the code; absent: that of the verification's text. */
  spokenIn: Schema.optionalKey(Locale),
  /** Takes over for the step before it: only one of them delivers the code. Absent: a channel of its own. */
  standby: Schema.optionalKey(Schema.Literal(true)),
  /** Never tried by itself: only if a request for the next channel names its channel. These steps are last in a route. */
  onRequest: Schema.optionalKey(Schema.Literal(true)),
  /** The wait is the measured one, where that is known. */
  waitsMeasured: Schema.optionalKey(Schema.Literal(true)),
  /** The counts by which the step has its place; absent: it has its place in the saved order or the request. */
  measured: Schema.optionalKey(MeasuredPosition)
})
export type RouteStep = typeof RouteStep.Type

/** The step calls the phone. */
export const isCall = ({ channel }: Pick<RouteStep, "channel">): boolean => channel === "voice"

/** The route, whose calls read the code in this language. */
export const spokenIn = (route: Route, locale: Locale): Route => {
  const [first, ...rest] = route
  const inLanguage = (step: RouteStep): RouteStep => (isCall(step) ? { ...step, spokenIn: locale } : step)
  return route.some(isCall) ? [inLanguage(first), ...rest.map(inLanguage)] : route
}

/** The text of a code on this step: what its call reads, or the text of the step or of the code. */
export const stepText = (
  { channel, textBody, spokenIn: locale }: Pick<RouteStep, "channel" | "textBody" | "spokenIn">,
  text: CodeText,
  code: string,
  expiresInSeconds: number
): string =>
  isCall({ channel })
    ? spokenCodeText(code, locale ?? text.textLocale ?? DEFAULT_LOCALE)
    : renderCodeText(
        textOver(channel, textBody === undefined ? text : ownCodeText(textBody)),
        code,
        expiresInSeconds
      )

/** Its first step is always one that is tried by itself. */
export type Route = Arr.NonEmptyReadonlyArray<RouteStep>

/** Whether the step is tried in its turn, without being asked for. */
export const isPlanned = ({ onRequest }: Pick<RouteStep, "onRequest">): boolean => onRequest !== true

/** The steps that are tried in their turn. */
export const plannedSteps = (route: ReadonlyArray<RouteStep>): ReadonlyArray<RouteStep> =>
  route.every(isPlanned) ? route : route.filter(isPlanned)
