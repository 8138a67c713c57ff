import { isPersonal } from "./PersonalPaths.ts"

/** For every response: browsers must not guess another type than its Content-Type. */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const

const NOT_STORED = { "cache-control": "no-store" } as const

/** Some responses of these paths have secrets, so no cache may store any of them. */
export const cachingOf = (path: string) => (isPersonal(path) ? NOT_STORED : {})
