import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import type { MessageAttemptView } from "../../src/domain/message/Message.ts"
import { Messages } from "../../src/services/message/Messages.ts"
import type { MessageRequest } from "../../src/services/message/MessageSends.ts"
import { TimerRunner } from "../../src/services/timer/TimerRunner.ts"
import { Workers } from "../../src/services/concurrency/Workers.ts"

export const PHONE = "09121234567"

/** The work that is due now, and the work that began on acceptance. */
export const settle = Effect.gen(function* () {
  yield* (yield* Workers).idle
  return yield* (yield* TimerRunner).runDue
})

/** Sends over these channels, and does what begins at once. */
export const sendMessage = Effect.fnUntraced(function* (
  customerId: number,
  channels: ReadonlyArray<Channel>,
  request: Partial<MessageRequest> = {}
) {
  const messages = yield* Messages
  const answer = yield* messages.send({
    customerId,
    to: PHONE,
    message: "سلام",
    channels: channels.map((channel) => ({ channel })),
    ...request
  })
  yield* (yield* Workers).idle
  const id = answer.messageId
  return { id, answer, status: messages.status({ customerId, id }) }
})

/** Jumps to `seconds` after `start` and does what is due then; how much that was. */
export const arriveAt = Effect.fnUntraced(function* (start: number, seconds: number) {
  const now = yield* Clock.currentTimeMillis
  yield* TestClock.adjust(start + seconds * 1000 - now)
  return yield* settle
})

export const summary = (attempts: ReadonlyArray<MessageAttemptView>) =>
  attempts.map(({ sequence, status, errorCode }) => [sequence, status, errorCode])
