/** The three routes of your server: `send`, `verify` and `next`, and a fourth that says how the code travels. */
import type { ChannelName } from "./Words.ts"

/** What the server may answer. All of it is optional: it crosses a network. */
export interface Reply {
  readonly error?: string
  /** Seconds. */
  readonly retry_after?: number
  readonly status?: string
  readonly channel?: ChannelName
  readonly expires_in?: number
  readonly code_length?: number
  /** Seconds until the next channel; null: there is none. */
  readonly next_in?: number | null
  readonly verified?: boolean
  readonly reason?: string
  readonly tries_left?: number | null
  /** Those that the visitor can ask for now. */
  readonly channels?: ReadonlyArray<ChannelName>
}

export type Call = (route: "send" | "verify" | "next" | "status", body?: object) => Promise<Reply>

const OFFLINE: Reply = { error: "offline" }
const TROUBLE: Reply = { error: "internal_error" }

const read = async (response: Response): Promise<Reply> => {
  const json: unknown = await response.json().catch(() => null)
  if (typeof json !== "object" || json === null) return TROUBLE
  return response.ok || "error" in json ? json : TROUBLE
}

/** Calls go to the page's own origin, and to no other: `mode` and `redirect` make the browser refuse those. */
export const callsOf = (endpoint: string): Call => {
  const root = endpoint.replace(/\/+$/, "")
  return async (route, body) => {
    const request: RequestInit =
      body === undefined
        ? {}
        : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    try {
      const response = await fetch(new URL(`${root}/${route}`, location.href), {
        ...request,
        mode: "same-origin",
        credentials: "same-origin",
        redirect: "error",
        cache: "no-store"
      })
      return await read(response)
    } catch {
      return OFFLINE
    }
  }
}
