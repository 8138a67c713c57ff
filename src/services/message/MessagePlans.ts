import { Effect, Result } from "effect"
import type { Admission } from "../../domain/customer/Admission.ts"
import { withPrices } from "../../domain/money/Charging.ts"
import {
  type AdmissionError,
  ChannelsRequired,
  type InvalidPhone,
  type InvalidStrategy,
  MessageRequired,
  type MessageTooLong,
  type RouteError,
  type TemplateError,
  type TemplateParametersMismatch
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import {
  type Message,
  parseStrategy,
  startMessage,
  type UsedTemplate,
  checkText
} from "../../domain/message/Message.ts"
import { chargeMessage } from "../../domain/message/MessageLanes.ts"
import { planSchedule, type ScheduleError, type ScheduleRequest } from "../../domain/message/Schedule.ts"
import { parsePhone } from "../../domain/Phone.ts"
import type { MessageStepRequest } from "../../domain/routing/MessageRoute.ts"
import type { SandboxRefusal } from "../../domain/verification/SandboxPhone.ts"
import { Billing, Limits } from "../customer/Limits.ts"
import type { CustomerSetUp } from "../customer/Customers.ts"
import { Routing } from "../routing/Routing.ts"
import { type FillTemplate, Templates } from "./Templates.ts"

export interface TemplateUse {
  readonly id: number
  /** By placeholder: the text that takes its place. */
  readonly parameters: ReadonlyMap<string, string>
  /** As they were sent, for responses. */
  readonly given: unknown
}

/** What a request says of one message. */
export interface MessageContent extends ScheduleRequest {
  readonly to: string
  readonly message?: string | undefined
  readonly template?: TemplateUse | undefined
  readonly channels: ReadonlyArray<MessageStepRequest>
  readonly strategy?: string | undefined
  /** JSON text of an object. */
  readonly metadata?: string | undefined
}

/** Why a message is refused before anything of it is stored. */
export type MessageRefusal =
  | InvalidPhone
  | MessageRequired
  | MessageTooLong
  | ChannelsRequired
  | InvalidStrategy
  | ScheduleError
  | RouteError
  | TemplateError
  | TemplateParametersMismatch
  | AdmissionError
  | SandboxRefusal

/** A message that only its customer's limits and money can refuse now. */
export interface PlannedMessage {
  readonly message: Message
  readonly admission: Admission
}

/** Checks a message's text and time. */
const checkRules = ({ message, template, channels, strategy, ...schedule }: MessageContent, now: Instant) =>
  Result.gen(function* () {
    const text = message === undefined ? null : yield* checkText(message.trim())
    if (text === null && template === undefined) return yield* Result.fail(new MessageRequired())
    if (channels.length === 0) return yield* Result.fail(new ChannelsRequired())
    return {
      text,
      strategy: yield* parseStrategy(strategy ?? "failover"),
      scheduledFor: yield* planSchedule(schedule, now)
    }
  })

const filledText = ({ id, parameters, given }: TemplateUse, fill: FillTemplate) =>
  Result.gen(function* () {
    const filled = yield* fill(id, parameters)
    const used: UsedTemplate = { id, name: filled.template.name, parameters: given }
    return { text: yield* checkText(filled.text), template: used }
  })

/** Plans messages: everything that can refuse one except the customer's limits and money. */
export const makeMessagePlans = Effect.gen(function* () {
  const routing = yield* Routing
  const templates = yield* Templates
  const limits = yield* Limits
  const billing = yield* Billing

  /** The templates that messages use, in one read. */
  const templatesFor = (customerId: number, contents: ReadonlyArray<MessageContent>) =>
    templates.read(customerId, [...new Set(contents.flatMap(({ template }) => template?.id ?? []))])

  const plan = (
    customer: CustomerSetUp,
    content: MessageContent,
    fill: FillTemplate,
    { id, createdAt }: Pick<Message, "id" | "createdAt">
  ): Result.Result<PlannedMessage, MessageRefusal> =>
    Result.gen(function* () {
      const phone = yield* parsePhone(content.to)
      const { text, ...rules } = yield* checkRules(content, createdAt)
      const route = yield* routing.resolveMessage(customer, content.channels)
      const filled =
        text !== null || content.template === undefined
          ? { text: text ?? "", template: null }
          : yield* filledText(content.template, fill)
      const refusal = limits.simulatedRefusal(phone)
      if (refusal !== undefined) return yield* Result.fail(refusal)
      const { prices, monthlyQuota } = billing.terms(customer)
      const message = chargeMessage(
        startMessage({
          ...filled,
          ...rules,
          phone,
          id,
          customerId: customer.customerId,
          route: withPrices(route, prices),
          metadata: content.metadata ?? "{}",
          createdAt
        })
      )
      return {
        message,
        admission: { phone: limits.ofMessages(customer), monthlyQuota, hold: message.held }
      }
    })

  return { templatesFor, plan }
})
