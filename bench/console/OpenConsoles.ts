/** Consoles that are open in browsers, as far as the server is concerned: each asks for its page again and again. */
import { setTimeout as pause } from "node:timers/promises"
import type { Visitor } from "../../test/console/Visitor.ts"

const PATHS = ["/console/overview", "/console/verifications"] as const

interface OpenConsole {
  readonly get: () => Promise<{ readonly seconds: number; readonly bytes: number }>
  /** Between two requests, as the page's script reads them. */
  readonly seconds: number
}

const openConsole = async (visitor: Visitor, path: string): Promise<OpenConsole> => {
  const shown = { etag: "", seconds: 0 }
  const get = async () => {
    const { status, text, headers } = await visitor.get(path, { "if-none-match": shown.etag })
    const seconds = status === 304 ? shown.seconds : Number(/data-live="(\d+)"/.exec(text)?.[1])
    if (!(seconds > 0)) throw new Error(`${path} is no live page: ${status}`)
    shown.etag = headers.get("etag") ?? ""
    shown.seconds = seconds
    return { seconds, bytes: text.length }
  }
  // the overview says when its sums of old sends are there
  for (;;) {
    const { seconds } = await get()
    if (seconds > 2) return { get, seconds }
    await pause(seconds * 1000)
  }
}

/** Half show the overview, and half a list. */
export const openConsoles = (visitors: ReadonlyArray<Visitor>): Promise<ReadonlyArray<OpenConsole>> =>
  Promise.all(visitors.map((visitor, n) => openConsole(visitor, PATHS[n % PATHS.length] ?? PATHS[0])))

/**
 * They ask from now on, at different times, as pages that somebody has touched in the last two minutes. Stopping returns
 * how many requests they made, and how long the responses were.
 */
export const watchConsoles = (consoles: ReadonlyArray<OpenConsole>) => {
  const stopping = new AbortController()
  const watch = async ({ get, seconds }: OpenConsole, n: number) => {
    let [requests, bytes] = [0, 0]
    let wait = (seconds * n) / consoles.length
    for (;;) {
      await pause(wait * 1000, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return { requests, bytes }
      const got = await get()
      wait = got.seconds
      requests += 1
      bytes += got.bytes
    }
  }
  const watching = consoles.map(watch)
  return async () => {
    stopping.abort()
    const all = await Promise.all(watching)
    return {
      requests: all.reduce((sum, { requests }) => sum + requests, 0),
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0)
    }
  }
}
