import { Clock, Context, Effect, Exit, Layer, Option, Result } from "effect"
import type { Admission } from "../../domain/people/Admission.ts"
import type { ChannelDescriptor } from "../../domain/routing/Channel.ts"
import { withPrices } from "../../domain/money/Charging.ts"
import {
  type AdmissionError,
  ChannelsRequired,
  type IdempotencyError,
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
  checkText,
  type Message,
  parseStrategy,
  sendTime,
  startMessage,
  type Strategy,
  type UsedTemplate
} from "../../domain/message/Message.ts"
import { chargeMessage, lanes } from "../../domain/message/MessageLanes.ts"
import type { MessageStepRequest } from "../../domain/routing/MessageRoute.ts"
import { parsePhone } from "../../domain/Phone.ts"
import { planSchedule, type ScheduleError, type ScheduleRequest } from "../../domain/message/Schedule.ts"
import type { SandboxRefusal } from "../../domain/verification/SandboxPhone.ts"
import { Billing } from "../customer/Billing.ts"
import { Customers, type CustomerSetUp } from "../customer/Customers.ts"
import { Idempotency, type IdempotentRequest } from "../customer/Idempotency.ts"
import { Limits } from "../customer/Limits.ts"
import { MessageDeliveries } from "./MessageDeliveries.ts"
import { type MessageAcceptance, MessageStore } from "./MessageStore.ts"
import { Routing } from "../customer/Routing.ts"
import { type SetUpChanged, withCurrentSetUp } from "../customer/SetUpChanged.ts"
import { SubjectIds } from "../SubjectIds.ts"
import { Templates } from "../customer/Templates.ts"
import { poolOf, TimerPools } from "../timer/TimerPools.ts"
import type { DueTimer, Lease } from "../../domain/Timer.ts"
import { Timers } from "../timer/Timers.ts"
import { Workers } from "../concurrency/Workers.ts"

export interface TemplateUse {
  readonly id: number
  /** By placeholder: the text that takes its place. */
  readonly parameters: ReadonlyMap<string, string>
  /** As they were sent, for responses. */
  readonly given: unknown
}

export interface MessageRequest extends ScheduleRequest {
  readonly customerId: number
  readonly to: string
  readonly message?: string | undefined
  readonly template?: TemplateUse | undefined
  readonly channels: ReadonlyArray<MessageStepRequest>
  readonly strategy?: string | undefined
  /** JSON text of an object. */
  readonly metadata?: string | undefined
  readonly idempotency?: IdempotentRequest | undefined
  /** The version that the request's key was read with; absent: the request has no key. */
  readonly setUpVersion?: number | undefined
}

export interface MessageAnswer {
  readonly messageId: string
  readonly status: "queued"
  readonly strategy: Strategy
  readonly scheduledFor: Instant | null
  readonly template: UsedTemplate | null
  readonly currentChannel: ChannelDescriptor
  /** An earlier request with the same idempotency key created this message. */
  readonly replayed: boolean
}

/** Why a request is refused before anything of it is stored. */
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

const toAnswer = (
  { id, strategy, scheduledFor, template, route }: Message,
  replayed: boolean
): MessageAnswer => ({
  messageId: id,
  status: "queued",
  strategy,
  scheduledFor,
  template,
  currentChannel: route[0].descriptor,
  replayed
})

/** Checks a message's text and time, before any lookup. */
const checkRules = ({ message, template, channels, strategy, ...schedule }: MessageRequest, now: Instant) =>
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

/** Creates messages: accepted in one write, sent after the response. */
export class MessageSends extends Context.Service<
  MessageSends,
  {
    readonly send: (
      request: MessageRequest
    ) => Effect.Effect<MessageAnswer, MessageRefusal | IdempotencyError | SetUpChanged>
  }
>()("peyk/services/message/MessageSends") {
  static readonly layer = Layer.effect(
    MessageSends,
    Effect.gen(function* () {
      const ids = yield* SubjectIds
      const store = yield* MessageStore
      const pool = poolOf[store.timerKind]
      const deliveries = yield* MessageDeliveries
      const idempotency = yield* Idempotency
      const routing = yield* Routing
      const templates = yield* Templates
      const limits = yield* Limits
      const billing = yield* Billing
      const customers = yield* Customers
      const timers = yield* Timers
      const room = yield* TimerPools
      const workers = yield* Workers

      const contentOf = Effect.fnUntraced(function* (
        { customerId, template }: MessageRequest,
        text: string | null
      ) {
        if (text !== null || template === undefined) return { text: text ?? "", template: null }
        const { id, parameters, given } = template
        const filled = yield* templates.fill(customerId, id, parameters)
        const used: UsedTemplate = { id, name: filled.template.name, parameters: given }
        return { text: yield* Effect.fromResult(checkText(filled.text)), template: used }
      })

      /** The part of a request that can be refused, also because of the customer's set-up. */
      const plan = Effect.fnUntraced(function* (
        customer: CustomerSetUp,
        request: MessageRequest,
        now: Instant
      ) {
        const phone = yield* Effect.fromResult(parsePhone(request.to))
        const { text, ...rules } = yield* Effect.fromResult(checkRules(request, now))
        const route = yield* Effect.fromResult(routing.resolveMessage(customer, request.channels))
        return { phone, ...rules, route, content: yield* contentOf(request, text) }
      })

      const prepare = Effect.fnUntraced(function* (request: MessageRequest) {
        const { customerId, metadata = "{}" } = request
        const createdAt = yield* Clock.currentTimeMillis
        const customer = yield* customers.configuration(customerId, request.setUpVersion)
        const { content, route, ...planned } = yield* Effect.tapError(
          plan(customer, request, createdAt),
          () => customers.confirm(customer)
        )
        const refusal = limits.simulatedRefusal(planned.phone)
        if (refusal !== undefined) return yield* refusal
        const { prices, monthlyQuota } = billing.terms(customer)
        const id = yield* ids.next
        const started = startMessage({
          ...content,
          ...planned,
          id,
          customerId,
          route: withPrices(route, prices),
          metadata,
          createdAt
        })
        const message = chargeMessage(started)
        const admission: Admission = {
          phone: limits.ofMessages(customer),
          monthlyQuota,
          hold: message.held
        }
        return { message, admission, setUpVersion: customer.setUpVersion }
      })

      const leaveRoom = ({ customerId }: Message, count: number) => {
        if (room.leave(pool, customerId, count)) timers.wakeAt(0)
      }

      const begin = (message: Message, lease: Lease) =>
        Effect.forEach(
          lanes(message),
          (lane) => {
            const timer: DueTimer = {
              kind: store.timerKind,
              customerId: message.customerId,
              subject: message.id,
              lane,
              leaseToken: lease.token,
              leasedUntil: lease.until,
              dueAt: sendTime(message),
              wasAbandoned: false
            }
            const finish = Effect.sync(() => leaveRoom(message, 1))
            return workers.start(
              Effect.ensuring(timers.run(timer, deliveries.runLane(timer, message)), finish)
            )
          },
          { discard: true }
        )

      /** None if the idempotency key was taken. */
      const accept = Effect.fnUntraced(function* (
        {
          message,
          admission,
          setUpVersion
        }: Pick<MessageAcceptance, "message" | "admission" | "setUpVersion">,
        request: MessageRequest
      ) {
        // A message for now starts here, unless this process is at its limit: then any process with room claims it.
        const entering = lanes(message).length
        const entered = message.scheduledFor === null && room.tryEnter(pool, message.customerId, entering)
        const lease = entered ? timers.leaseAtBirth() : null
        const claim = yield* idempotency.claim(request.idempotency, message.createdAt)
        const accepted = yield* store
          .accept({ message, setUpVersion, admission, lanes: lanes(message), lease, idempotency: claim })
          .pipe(
            Effect.onExit((exit) =>
              Effect.sync(() => {
                const isBegun = Exit.isSuccess(exit) && exit.value
                if (entered && !isBegun) leaveRoom(message, entering)
              })
            )
          )
        if (!accepted) return Option.none<MessageAnswer>()
        if (lease === null) timers.wakeAt(sendTime(message))
        else yield* begin(message, lease)
        return Option.some(toAnswer(message, false))
      })

      const make = (request: MessageRequest) =>
        Effect.flatMap(prepare(request), (prepared) => workers.runToEnd(accept(prepared, request)))

      return MessageSends.of({
        send: (request) =>
          withCurrentSetUp(
            request.setUpVersion,
            idempotency.answerOnce(request.idempotency, {
              make: make(request),
              find: (key, now) => store.findClaimedKey(request.customerId, key, now),
              replay: (message: Message) => Effect.succeed(toAnswer(message, true))
            })
          )
      })
    })
  )
}
