/** Every error has the envelope that the API's description names; connections break only because of a fault. */
import type { Broken } from "../Client.ts"
import { NO_RESPONSE } from "../Client.ts"
import type { Evidence, Invariant } from "../Evidence.ts"

const isRefused = ({ error }: Broken) => error === "ECONNREFUSED"

/** Undefined: a fault explains it. */
const problemOf = (broken: Broken, { disturbances }: Evidence): string | undefined => {
  const { server, error, hadBegun, wasReused } = broken
  if (error === NO_RESPONSE) return "was not answered"
  if (disturbances.during(broken, ["kill"], server)) return undefined
  // A continued process finds that its idle connections have been idle too long, before it reads what has arrived on
  // them.
  if (wasReused && !hadBegun && disturbances.during(broken, ["freeze"], server)) return undefined
  if (!disturbances.during(broken, ["roll"], server)) return `broke (${error}) while its server ran`
  // A server in an orderly stop can close an idle connection just as a request arrives on it, which it never reads.
  return isRefused(broken) || !hadBegun
    ? undefined
    : `broke (${error}) in the middle of an answer, in an orderly stop`
}

export const answers: Invariant = (evidence) => {
  const { journal } = evidence
  const broken = journal.broken.flatMap((each) => {
    const problem = problemOf(each, evidence)
    const after = `${each.wasReused ? "used" : "new"} connection, after ${(each.to - each.from).toFixed(0)} ms`
    return problem === undefined
      ? []
      : [`${each.operation} at server ${each.server} ${problem} (${after}, at ${each.to.toFixed(0)})`]
  })
  const counted = [...journal.answers]
    .filter(([key]) => !/ 20[01]$/.test(key))
    .map(([key, count]) => `${key} × ${count}`)
    .sort()
  return {
    invariant: "Every error is an envelope that is documented; connections broke only with their server",
    counted: [`${journal.calls} requests; other than success:`, ...counted].join("\n      "),
    isCovered: journal.calls > 0,
    broken: [...journal.problems, ...broken]
  }
}
