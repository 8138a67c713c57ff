import { type Cause, Effect } from "effect"
import { HIDDEN, keptText } from "../../domain/provider/ProviderOutcome.ts"
import { inOneLine } from "../../domain/text/VisibleText.ts"

/**
 * What a message may repeat of somebody's data: quoted values, which the names of tables and roles are not, words with
 * several digits (phones, codes, tokens), and long words.
 */
const DATA = /"[^"]*"?|\S*\d{4}\S*|\S{40,}/g
const NAME = /^"[a-z_]+"$/

const hidden = (words: string): string => words.replace(DATA, (part) => (NAME.test(part) ? part : HIDDEN))

const isRecord = (error: unknown): error is Readonly<Record<string, unknown>> =>
  typeof error === "object" && error !== null

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** An error's tag or name, its message, and that of what caused it: the driver's message says only what it did. */
const inWords = (error: unknown): string => {
  if (!isRecord(error)) return typeof error === "string" ? error : typeof error
  const reason = isRecord(error["reason"]) ? error["reason"] : error
  const origin = reason["cause"]
  const name = textOf(reason["_tag"]) || textOf(reason["name"]) || "Error"
  const own = textOf(reason["message"]) || textOf(error["message"])
  const first = isRecord(origin) ? textOf(origin["message"]) : textOf(origin)
  return [name, own, first]
    .filter((part, index, all) => part !== "" && all.indexOf(part) === index)
    .join(": ")
}

/** Why something failed, in one line and without anybody's data. */
export const reasonOf = ({ reasons }: Cause.Cause<unknown>): string => {
  const [first] = reasons
  if (first === undefined) return "no reason"
  if (first._tag === "Interrupt") return "interrupted"
  const words = inWords(first._tag === "Die" ? first.defect : first.error)
  return inOneLine(keptText(hidden(words.replace(/\s*\n\s*/g, " "))))
}

const withDetails =
  (log: (message: string) => Effect.Effect<void>) =>
  (message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Effect.andThen(
      Effect.suspend(() => log(`${message}: ${reasonOf(cause)}`)),
      // Only for developers: stacks, and whatever else the errors hold.
      Effect.logDebug(message, cause)
    )

/** A failure of background work: one line, as each outage of the store makes many. */
export const logFailure = withDetails(Effect.logError)

/** A failure by which nothing is lost: one line. */
export const warnOfFailure = withDetails(Effect.logWarning)
