import { randomInt, randomUUID } from "node:crypto"

const GIVEN_ID = /^[A-Za-z0-9._-]{1,128}$/
const NUMBER_DIGITS = 8
const NUMBERS = 2 ** (4 * NUMBER_DIGITS)

/** The caller's own id, if it is valid. */
export const givenRequestId = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" && GIVEN_ID.test(header) ? header : undefined

/**
 * Unique UUIDs: numbers after a random prefix, because drawing each costs a fiftieth of a request. The numbers are
 * permuted, so that they do not show how many requests there are.
 */
export const makeRequestIds = (): (() => string) => {
  let beginning = ""
  let step = 1
  let taken = NUMBERS
  return () => {
    if (taken === NUMBERS) {
      beginning = randomUUID().slice(0, -NUMBER_DIGITS)
      // Odd, so that it reaches each number once.
      step = randomInt(NUMBERS / 2) * 2 + 1
      taken = 0
    }
    taken++
    return beginning + (Math.imul(taken, step) >>> 0).toString(16).padStart(NUMBER_DIGITS, "0")
  }
}

const nextRequestId = makeRequestIds()

/** For responses that are sent before a request reaches the router. */
export const requestIdFor = (header: string | ReadonlyArray<string> | undefined): string =>
  givenRequestId(header) ?? nextRequestId()
