import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Redacted, Result, Schema } from "effect"
import { SqlError } from "effect/sql"
import { decodedAs } from "./SqlRows.ts"
import { StartupError } from "../system/StartupError.ts"

const ATTRIBUTE = "target_session_attrs"
/** Peyk writes, so it needs a session that can, whatever is asked for. */
const POSSIBLE: ReadonlySet<string> = new Set(["any", "read-write", "primary"])
const PARTS = /^(?<scheme>[a-z]+:\/\/(?:[^@/?#]*@)?)(?<hosts>[^/?#]*)(?<rest>.*)$/is

const SCHEMES: ReadonlySet<string> = new Set(["postgres:", "postgresql:"])

/** The texts of a URL for each of its hosts, with this after the hosts. */
const urlsOf = (scheme: string, hosts: string, tail: string): ReadonlyArray<string> =>
  hosts.split(",").map((host) => `${scheme}${host}${tail}`)

/** The path, and the query after the first `?`: a password in the query can have another. */
const splitQuery = (rest: string): readonly [path: string, query: string] => {
  const [path = ""] = rest.split("?", 1)
  return [path, rest.slice(path.length + 1)]
}

const FORM = "a connection URL is expected: postgres://user:password@host/database"
const ENCODE =
  "write these characters of the user and the password as /: %2F, @: %40, ?: %3F, #: %23, %: %25, comma: %2C"

const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const pairsOf = (query: string): ReadonlyArray<string> => query.split("&").filter((pair) => pair !== "")

/** What can have a `@` as a value of the query. */
const VALUE = /^(user|password|dbname|options|application_name)=/

/** Whether a character of the password ends it too early: what looks like the path then has the host in it. */
const endsPasswordEarly = (scheme: string, hosts: string, rest: string): boolean => {
  const [path, query] = splitQuery(rest)
  const isQueryCut = path === "" && pairsOf(query).some((pair) => pair.includes("@") && !VALUE.test(pair))
  const isCut = path.includes("@") || rest.includes("#") || isQueryCut
  // With several hosts, the text between two `@` would count as hosts.
  return isCut || (hosts.includes("@") && hosts.includes(",")) || !isEncoded(scheme)
}

/** Why it does not name PostgreSQL, on one host or several; null if it does. It never repeats a part of it. */
export const databaseUrlProblem = (text: string): string | null => {
  const { scheme = "", hosts = "", rest = "" } = PARTS.exec(text)?.groups ?? {}
  const isPostgres = [...SCHEMES].some((each) => scheme.toLowerCase().startsWith(`${each}//`))
  if (isPostgres && endsPasswordEarly(scheme, hosts, rest)) return `${FORM}; ${ENCODE}`
  const urls = urlsOf(scheme, hosts, rest)
  return isPostgres && urls.every((url) => URL.canParse(url)) ? null : FORM
}

/** The URL with this password, if it names a user without one: before the hosts, or in its query. */
export const withPassword = (url: string, password: string): string => {
  const { scheme = "", hosts = "", rest = "" } = PARTS.exec(url)?.groups ?? {}
  const pairs = pairsOf(splitQuery(rest)[1])
  const hasPair = (name: string) => pairs.some((pair) => pair.startsWith(`${name}=`))
  const user = /^[a-z]+:\/\/([^@:]*)(:?)/i.exec(scheme)
  if (hasPair("password") || user?.[2] === ":") return url
  const encoded = encodeURIComponent(password)
  if (scheme.endsWith("@")) return `${scheme.slice(0, -1)}:${encoded}@${hosts}${rest}`
  return hasPair("user") ? `${url}&password=${encoded}` : url
}

/** The pairs of a query, less one; not parsed, because a password there must stay as it is. */
const without = (name: string, rest: string): string => {
  const [path, query] = splitQuery(rest)
  const pairs = pairsOf(query).filter((pair) => !pair.startsWith(`${name}=`))
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`
}

/** libpq reads these files. The driver ignores them, so Peyk would check with other certificates without saying so. */
const FILES = ["sslrootcert", "sslcert", "sslkey", "sslcrl"]

/**
 * The URL of each host of a URL like libpq's: `postgres://user@one:5432,two:5433/peyk?target_session_attrs=read-write`.
 * `setting` is where it was given.
 */
export const hostUrls = (
  setting: string,
  url: Redacted.Redacted
): Result.Result<ReadonlyArray<Redacted.Redacted>, StartupError> => {
  const { scheme, hosts, rest } = PARTS.exec(Redacted.value(url))?.groups ?? {}
  if (scheme === undefined || hosts === undefined || rest === undefined) return Result.succeed([url])
  const refuse = (message: string) => Result.fail(new StartupError({ message: `${setting}: ${message}` }))
  const query = new URLSearchParams(splitQuery(rest)[1])
  const attribute = query.get(ATTRIBUTE)
  if (attribute !== null && !POSSIBLE.has(attribute))
    return refuse(`${ATTRIBUTE} has to be ${[...POSSIBLE].join(", ")}, not ${attribute}`)
  const file = FILES.find((name) => query.has(name))
  if (file !== undefined)
    return refuse(
      `${file} is not supported; name the file of your own authority in the environment variable NODE_EXTRA_CA_CERTS`
    )
  const tail = without(ATTRIBUTE, rest)
  return Result.succeed(urlsOf(scheme, hosts, tail).map((each) => Redacted.make(each)))
}

const PROBE_TIMEOUT = "5 seconds"

/**
 * Through a pooler that gives each transaction another session, nothing that a session keeps can be relied on.
 * Statements have no names, and no settings are sent at the start of a connection.
 */
export const pooled = { prepare: false, startupParameters: {} } as const

export const isPooled = ({ prepare }: PgClient.PgPoolConfig): boolean => prepare === false

const Backend = Schema.Tuple([Schema.Struct({ pid: Schema.Int })])

const noResponse = () => {
  const message = "no response in time"
  const reason = new SqlError.ConnectionError({ cause: new Error(message), message, operation: "probe" })
  return Effect.fail(new SqlError.SqlError({ reason }))
}

/**
 * Whether a pooler is in between. PostgreSQL reports at the start of a connection which process serves it. A pooler
 * does not know that yet, and makes up a number. The probe sends no settings, because PgBouncer refuses those that it
 * does not know.
 */
export const hasPooler = (address: PgClient.PgPoolConfig): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ ...address, ...pooled, applicationName: "peyk" })
    const read = Effect.map(connection.query("select pg_backend_pid() as pid"), ({ rows }) => rows)
    const [{ pid }] = yield* decodedAs(Backend)(read)
    return pid !== connection.processId
  }).pipe(Effect.scoped, Effect.timeoutOrElse({ duration: PROBE_TIMEOUT, orElse: noResponse }))
