import { Cause, Console, Effect } from "effect"
import { CliError, CliOutput } from "effect/cli"
import { inOneLine } from "../../domain/text/VisibleText.ts"

/** Joins the lines of a message, because a terminal or a log wants one. */
const oneLine = (message: string): string => inOneLine(message.replace(/\s*\n\s*/g, " "))

/** An error whose message is for the person at the terminal. */
export const forPerson = (error: { readonly message: string }): CliError.UserError =>
  new CliError.UserError({ cause: error, userMessage: oneLine(error.message) })

/** Errors go to standard error, one line each. Standard output is for results and for requested help. */
export const ErrorOutput = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          `${event.errors.map(({ message }) => oneLine(message)).join("; ")} (see ${event.commandPath.join(" ")} --help)`
        )
      : CliOutput.defaultPresenter.present(event)
})

/** Unexpected failures are logged, not printed on standard output. */
export const reportDefects = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tapDefect(effect, (defect) => Effect.logFatal("this should not have happened", Cause.die(defect)))
