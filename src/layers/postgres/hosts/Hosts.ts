import { Redacted, Result } from "effect"
import { StartupError } from "../../process/StartupError.ts"

const ATTRIBUTE = "target_session_attrs"
/** Peyk writes, so it needs a session that can, whatever is asked for. */
const POSSIBLE: ReadonlySet<string> = new Set(["any", "read-write", "primary"])
const PARTS = /^(?<scheme>[a-z]+:\/\/(?:[^@/?#]*@)?)(?<hosts>[^/?#]*)(?<rest>.*)$/is

/** The pairs of a query, less one; not parsed, because a password there must stay as it is. */
const without = (name: string, rest: string): string => {
  const [path = "", query] = rest.split("?")
  const pairs = (query ?? "").split("&").filter((pair) => pair !== "" && !pair.startsWith(`${name}=`))
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`
}

/** The URL of each host of a URL like libpq's: `postgres://user@one:5432,two:5433/peyk?target_session_attrs=read-write`. */
export const hostUrls = (
  url: Redacted.Redacted
): Result.Result<ReadonlyArray<Redacted.Redacted>, StartupError> => {
  const { scheme, hosts, rest } = PARTS.exec(Redacted.value(url))?.groups ?? {}
  if (scheme === undefined || hosts === undefined || rest === undefined) return Result.succeed([url])
  const attribute = new URLSearchParams(rest.split("?")[1]).get(ATTRIBUTE)
  if (attribute !== null && !POSSIBLE.has(attribute)) {
    const message = `DATABASE_URL: ${ATTRIBUTE} has to be ${[...POSSIBLE].join(", ")}, not ${attribute}`
    return Result.fail(new StartupError({ message }))
  }
  const tail = without(ATTRIBUTE, rest)
  return Result.succeed(hosts.split(",").map((host) => Redacted.make(`${scheme}${host}${tail}`)))
}
