import { Effect } from "effect"

/** One check can fail because the whole machine paused: the deadline then passes before the reply is read. */
const MAX_UNANSWERED = 2
/** The pause between a reply and the next check, as a fraction of the longest silence. */
const PAUSE_SHARE = 4

/**
 * Ends once a process has been silent for so long; never if that is 0.
 *
 * @param answers checks the process, and waits at most this many milliseconds for its reply
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
