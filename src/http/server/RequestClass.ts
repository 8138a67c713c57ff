/**
 * The kinds of requests when not all can be answered: `vital` ones (health, metrics) always are. Each of the others has a
 * share of its own: the largest for checks (verify, status), since somebody holds a code in hand, then sends, management,
 * and last what needs no credential.
 */
export const requestClasses = ["vital", "check", "send", "manage", "public"] as const
export type RequestClass = (typeof requestClasses)[number]

const VITAL = new Set(["/healthz", "/readyz", "/metrics"])
const RESOURCES = ["/v1/otp/", "/v1/messages/", "/v1/sandbox/otp/", "/v1/sandbox/messages/"]
const MANAGEMENT = "/v1/manage/"
/** Lists and the account: they can wait, unlike a code in somebody's hand. */
const SERVICE_KEY_READS = new Set(["/v1/otp", "/v1/messages", "/v1/sandbox/otp", "/v1/account"])

const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** By method and path alone: this is asked before anything of a request is read. */
export const classOf = (method: string, url: string): RequestClass => {
  for (const prefix of RESOURCES) {
    if (url.startsWith(prefix)) {
      return method === "POST" && !url.startsWith("verify", prefix.length) ? "send" : "check"
    }
  }
  if (url.startsWith(MANAGEMENT)) return "manage"
  if (SERVICE_KEY_READS.has(pathOf(url))) return "manage"
  return VITAL.has(url) ? "vital" : "public"
}
