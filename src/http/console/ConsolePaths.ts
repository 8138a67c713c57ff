import { Redacted } from "effect"

/** Everything of the console is at or below this path. */
export const CONSOLE_PATH = "/console"

export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`
export const SIGN_IN_LINK_PATH = `${CONSOLE_PATH}/sign-in-link`
/** Where somebody with a second factor gives it. */
export const SECOND_STEP_PATH = `${SIGN_IN_PATH}/second` as const
export const SIGN_OUT_PATH = `${CONSOLE_PATH}/sign-out`
export const SIGN_OUT_EVERYWHERE_PATH = `${SIGN_OUT_PATH}-everywhere`
/** A person's second factor and sessions. */
export const SECURITY_PATH = `${CONSOLE_PATH}/settings/security` as const
/** Where an operator leaves a customer's console. */
export const LEAVE_PATH = `${CONSOLE_PATH}/customers/leave` as const
/** Finds everything that has a page. */
export const SEARCH_PATH = `${CONSOLE_PATH}/search` as const
/** Filters that somebody keeps under a name. */
export const VIEWS_PATH = `${CONSOLE_PATH}/views` as const
export const ASSETS_PATH = `${CONSOLE_PATH}/assets`

/** Where somebody begins who has signed in. */
export const HOME_PATH = `${CONSOLE_PATH}/overview`

/** No part of its path is empty or leads upwards. */
const OWN_PAGE = /^\/console(?:\/(?!\.{1,2}(?:[/?]|$))[A-Za-z0-9\-_.]+)+(?:\?[A-Za-z0-9\-_.~%&=+:]*)?$/

/** Where a sign-in leads, if it is a page of ours. */
export const safeNext = (given: string | null): string =>
  given !== null && OWN_PAGE.test(given) ? given : HOME_PATH

/** The address of a sign-in link. */
export const signInUrl = (origin: string, link: Redacted.Redacted): string =>
  `${origin}${SIGN_IN_LINK_PATH}?token=${Redacted.value(link)}`
