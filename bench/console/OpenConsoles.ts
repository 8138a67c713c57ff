/** Consoles that are open in browsers, as far as the server is concerned: each asks for its page again and again. */
import { setTimeout as pause } from "node:timers/promises"
import type { Visitor } from "../../test/console/Visitor.ts"

const PATHS = ["/console/overview", "/console/verifications"] as const

interface OpenConsole {
  readonly get: () => Promise<{ readonly seconds: number }>
  /** Between two requests, as the page's script reads them. */
  readonly seconds: number
}

const openConsole = async (visitor: Visitor, path: string): Promise<OpenConsole> => {
  const get = async () => {
    const { status, text } = await visitor.get(path)
    const seconds = /data-live="(\d+)"/.exec(text)?.[1]
    if (status !== 200 || seconds === undefined) throw new Error(`${path} is no live page: ${status}`)
    return { seconds: Number(seconds) }
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

/** They ask from now on, at different times. Stopping returns how many requests they made. */
export const watchConsoles = (consoles: ReadonlyArray<OpenConsole>) => {
  const stopping = new AbortController()
  const watch = async ({ get, seconds }: OpenConsole, n: number) => {
    let requests = 0
    let wait = (seconds * n) / consoles.length
    for (;;) {
      await pause(wait * 1000, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return requests
      wait = (await get()).seconds
      requests += 1
    }
  }
  const watching = consoles.map(watch)
  return async () => {
    stopping.abort()
    return (await Promise.all(watching)).reduce((sum, requests) => sum + requests, 0)
  }
}
