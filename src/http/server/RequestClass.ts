const PERSONAL_PATHS = ["/v1/manage/", "/v1/auth/"]

/** Whether a path takes credentials of persons and their programs, which service keys are not. */
export const isPersonal = (path: string): boolean => PERSONAL_PATHS.some((prefix) => path.startsWith(prefix))

/**
 * The classes of requests under overload. `vital` ones (health, metrics) are always served. Each of the others has
 * its own share: the largest for checks (verify, status), because a person is waiting with a code, then sends,
 * management, and last requests without a credential. `asset` is what everybody may read and nobody computes: the
 * documents and the console's files.
 */
export const requestClasses = ["vital", "check", "send", "manage", "public", "asset"] as const
export type RequestClass = (typeof requestClasses)[number]

const VITAL = new Set(["/healthz", "/readyz", "/metrics"])
const RESOURCES = ["/v1/otp/", "/v1/messages/", "/v1/sandbox/otp/", "/v1/sandbox/messages/"]
/** Anybody may send a password. */
const SIGN_IN = "/console/sign-in"
const ASSETS = ["/docs", "/openapi.json", "/console/assets/"]
const MANAGEMENT = ["/v1/manage/", "/console"]
/** Lists and the account can wait, unlike a person with a code. */
const SERVICE_KEY_READS = new Set([
  "/v1/otp",
  "/v1/messages",
  "/v1/sandbox/otp",
  "/v1/sandbox/messages",
  "/v1/account"
])

const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** Health checks and metrics, which are served always. */
export const isVital = (url: string): boolean => VITAL.has(pathOf(url))

/** Decided by method and path alone, before the request is read. */
export const classOf = (method: string, url: string): RequestClass => {
  for (const prefix of RESOURCES) {
    if (url.startsWith(prefix)) {
      return method === "POST" && !url.startsWith("verify", prefix.length) ? "send" : "check"
    }
  }
  if (url.startsWith(SIGN_IN)) return "public"
  if (ASSETS.some((prefix) => url.startsWith(prefix))) return "asset"
  if (MANAGEMENT.some((prefix) => url.startsWith(prefix))) return "manage"
  if (SERVICE_KEY_READS.has(pathOf(url))) return "manage"
  return VITAL.has(url) ? "vital" : "public"
}
