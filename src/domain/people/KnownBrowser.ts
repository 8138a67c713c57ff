import { DAY_MILLIS, type Instant } from "../Instant.ts"

/** How long a browser stays known after its last sign-in. */
export const BROWSER_LIFE_MILLIS = 180 * DAY_MILLIS
/** A browser is known for so many people at most: the cookie is sent with each request. */
export const MAX_PEOPLE_OF_BROWSER = 5

const SECOND_MILLIS = 1000

/** A browser in which somebody has signed in before, in their present epoch. */
export interface KnownBrowser {
  readonly id: string
  readonly epoch: number
}

/** What a browser keeps of one person: it does not show who they are. */
export interface BrowserEntry extends KnownBrowser {
  readonly sinceSeconds: number
  readonly mac: string
}

const ENTRY = /^([A-Za-z0-9_-]{22})\.(\d{1,10})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/
const MAX_ENTRY_LENGTH = 92
const SEPARATOR = "~"

const readEntry = (text: string): ReadonlyArray<BrowserEntry> => {
  const [, id, epoch, since, mac] = ENTRY.exec(text) ?? []
  return id === undefined || mac === undefined
    ? []
    : [{ id, epoch: Number(epoch), sinceSeconds: Number(since), mac }]
}

/** The entries of a cookie; none if anything else wrote it. */
export const readEntries = (cookie: string): ReadonlyArray<BrowserEntry> =>
  cookie.length > MAX_PEOPLE_OF_BROWSER * MAX_ENTRY_LENGTH ? [] : cookie.split(SEPARATOR).flatMap(readEntry)

/** The newest first: the oldest are dropped. */
export const formatEntries = (entries: ReadonlyArray<BrowserEntry>): string =>
  entries
    .slice(0, MAX_PEOPLE_OF_BROWSER)
    .map(({ id, epoch, sinceSeconds, mac }) => [id, epoch, sinceSeconds, mac].join("."))
    .join(SEPARATOR)

/** What the MAC of an entry covers; the address is last, because anything can be in it. */
export const signedText = ({ id, epoch, sinceSeconds }: Omit<BrowserEntry, "mac">, email: string): string =>
  [id, epoch, sinceSeconds, email].join("\n")

export const secondsOf = (now: Instant): number => Math.floor(now / SECOND_MILLIS)

export const isAlive = ({ sinceSeconds }: BrowserEntry, now: Instant): boolean =>
  now - sinceSeconds * SECOND_MILLIS < BROWSER_LIFE_MILLIS
