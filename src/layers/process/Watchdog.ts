import { Effect } from "effect"

/** One alone may go unanswered for a pause of the whole machine, after which the time is up before the answer is read. */
const MAX_UNANSWERED = 2
/** Between an answer and the next question, as a part of the silence that is too long. */
const PAUSE_SHARE = 4

/**
 * Ends once a process has been silent for so long; never where that is 0.
 *
 * @param answers asks it, and waits so many milliseconds for its answer
 */
export const untilSilent = (
  answers: (withinMillis: number) => Effect.Effect<boolean>,
  silenceMillis: number
): Effect.Effect<void> =>
  silenceMillis === 0
    ? Effect.never
    : Effect.gen(function* () {
        let unanswered = 0
        while (unanswered < MAX_UNANSWERED) {
          if (unanswered === 0) yield* Effect.sleep(silenceMillis / PAUSE_SHARE)
          unanswered = (yield* answers(silenceMillis / MAX_UNANSWERED)) ? 0 : unanswered + 1
        }
      })
