/**
 * What kinds of requests there are when not all can be answered: `vital` ones (health, metrics) always are; of the others
 * checks (verify, status) come first, since somebody holds a code in hand, then sends, then management.
 */
export const requestClasses = ["vital", "check", "send", "manage"] as const
export type RequestClass = (typeof requestClasses)[number]

const VITAL = new Set(["/healthz", "/readyz", "/metrics"])
const RESOURCES = ["/v1/otp/", "/v1/messages/", "/v1/sandbox/otp/"]

/** By method and path alone: this is asked before anything of a request is read. */
export const classOf = (method: string, url: string): RequestClass => {
  for (const prefix of RESOURCES) {
    if (url.startsWith(prefix)) {
      return method === "POST" && !url.startsWith("verify", prefix.length) ? "send" : "check"
    }
  }
  return VITAL.has(url) ? "vital" : "manage"
}
