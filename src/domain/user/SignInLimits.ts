import { MINUTE_MILLIS } from "../Instant.ts"

/** Failed sign-ins of one e-mail address from one network before more are refused. */
export const MAX_FAILURES_OF_PAIR = 10
/** Limits for one e-mail address from everywhere, and for one network with any e-mail address. */
export const MAX_FAILURES_OF_EMAIL = 50
export const MAX_FAILURES_OF_NETWORK = 50
/** Limit for one address in a browser in which it has signed in before; other limits do not apply there. */
export const MAX_FAILURES_OF_BROWSER = 10
export const FAILURE_WINDOW_MILLIS = 15 * MINUTE_MILLIS
