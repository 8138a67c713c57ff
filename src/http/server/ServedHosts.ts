import type { ErrorCode } from "../errors/ErrorTable.ts"
import type { IncomingRequest } from "./IncomingRequest.ts"
import { isVital } from "./RequestClass.ts"

/** So many names are remembered; clients can send any. */
const MAX_CACHED = 256
/** No name is longer, with its port. */
const MAX_LENGTH = 261

const LOOPBACK = /^(?:(?:[^:/]+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** The name in a Host header: without its port, and without the dot that ends a full name. */
const nameIn = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/(?<=.)\.$/, "")

const countHosts = ({ rawHeaders }: IncomingRequest): number => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1
  }
  return count
}

/**
 * The names under which Peyk is served. A page of another site can give its own name a loopback address, and would then
 * read what only this machine may read: its requests still name that site as Host.
 */
export class ServedHosts {
  /** Null: every name is served. */
  readonly #names: ReadonlySet<string> | null
  readonly #cache = new Map<string, boolean>()

  constructor(names: ReadonlyArray<string> | null) {
    this.#names = names === null ? null : new Set(names.map(nameIn))
  }

  /** What is wrong with a request's Host, if anything. Health checks and metrics are served under any Host and none. */
  refusalOf(request: IncomingRequest): ErrorCode | undefined {
    const { host } = request.headers
    if (host === undefined) {
      const mustHave = request.httpVersionMajor === 1 && request.httpVersionMinor === 1
      return mustHave && !isVital(request.url ?? "") ? "bad_request" : undefined
    }
    if (countHosts(request) > 1) return "bad_request"
    if (this.#names === null || this.#isServed(host)) return undefined
    return isVital(request.url ?? "") ? undefined : "misdirected_request"
  }

  #isServed(host: string): boolean {
    if (host.length > MAX_LENGTH) return false
    const known = this.#cache.get(host)
    if (known !== undefined) return known
    const name = nameIn(host)
    const isServed = LOOPBACK.test(name) || this.#names?.has(name) === true
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    this.#cache.set(host, isServed)
    return isServed
  }
}
