import { randomUUID } from "node:crypto"

const GIVEN_ID = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's own id, if it can be one. */
export const givenRequestId = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" && GIVEN_ID.test(header) ? header : undefined

/** For answers that are given before a request reaches the router. */
export const requestIdFor = (header: string | ReadonlyArray<string> | undefined): string =>
  givenRequestId(header) ?? randomUUID()
