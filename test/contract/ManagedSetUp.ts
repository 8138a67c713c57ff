/** The set-up by a customer's program: the management API with one token. */
import { expect } from "vitest"
import { type HeaderSet, newKey, ok, otp, type Reply } from "./Client.ts"
import type { List } from "./ManagedCustomer.ts"
import { manage, newToken } from "./Manager.ts"
import type { Running } from "./Server.ts"

type Served = Pick<Running, "url" | "cli">

export interface ApiKey {
  readonly id: number
  readonly name: string
  readonly mode: "live" | "test"
  readonly prefix: string
  readonly last_four: string
  readonly status: "active" | "expired" | "revoked"
  readonly rate_limit_per_minute: number | null
  readonly allowed_ips: ReadonlyArray<string> | null
  readonly created_at: string
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly version: number
}

export interface CreatedApiKey extends ApiKey {
  readonly secret: string
}

export interface Account {
  readonly credential_id: number
  readonly channel: string
  readonly provider: string
  readonly label: string
  readonly default: boolean
  readonly active: boolean
  readonly sends: ReadonlyArray<string>
  readonly needs_contacts: boolean
  readonly gap_ms: number | null
  readonly per_minute: number | null
  readonly failures: number
  readonly cooling_until: string | null
  readonly created_at: string
  readonly version: number
}

export interface AccountCheck {
  readonly result: string
  readonly detail: string | null
}

export interface Template {
  readonly id: number
  readonly name: string
  readonly body: string
  readonly active: boolean
  readonly placeholders: ReadonlyArray<string>
  readonly problem: string | null
  readonly carries_codes: boolean
  readonly created_at: string
  readonly version: number
}

export interface Routing {
  readonly steps: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly version: number
}

export interface AuditLine {
  readonly id: string
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string }
  readonly action: string
  readonly subject: { readonly type: string; readonly id: string }
  readonly details: Readonly<Record<string, unknown>>
  readonly ip: string | null
  readonly user_agent: string | null
  readonly request_id: string | null
  readonly occurred_at: string
}

export type Fields = Readonly<Record<string, unknown>>

/** The management API with this token. */
export const manager = (server: Pick<Running, "url">, token: string) => {
  const call = (method: string, path: string, body?: unknown, headers: HeaderSet = {}): Promise<Reply> =>
    manage(server, method, path, { authorization: `apikey ${token}`, ...headers }, body)
  const get = (path: string) => call("GET", path)
  const audit = async (path = "") => ok<List<AuditLine>>(await get(`/audit-log?limit=100${path}`)).data
  return {
    token,
    call,
    get,
    post: (path: string, body: unknown, headers: HeaderSet = {}) => call("POST", path, body, headers),
    put: (path: string, body: unknown, headers: HeaderSet = {}) => call("PUT", path, body, headers),
    patch: (path: string, body: unknown, headers: HeaderSet = {}) => call("PATCH", path, body, headers),
    delete: (path: string, headers: HeaderSet = {}) => call("DELETE", path, undefined, headers),
    read: async <A>(path: string) => ok<A>(await get(path)),
    newKey: async (fields: Fields = {}) =>
      ok<CreatedApiKey>(await call("POST", "/api-keys", { name: "shop", mode: "live", ...fields }), 201),
    newAccount: async (channel: string, fields: Fields = {}) => {
      const account = { channel, provider: "simulator", label: `The ${channel}`, settings: {}, ...fields }
      const reply = await call("POST", "/accounts", account)
      return ok<Account & { readonly check: AccountCheck }>(reply, 201)
    },
    newTemplate: async (body: string, name = "A template") =>
      ok<Template>(await call("POST", "/templates", { name, body }), 201),
    /** The newest first. */
    audit,
    auditOf: (type: string, id: number) => audit(`&subject_type=${type}&subject_id=${id}`),
    /** Every element of a list, read in parts of this size. */
    parts: async <A>(path: string, limit: number) => {
      const parts: Array<ReadonlyArray<A>> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const rest: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
        const part: List<A> = ok(await get(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}${rest}`))
        parts.push(part.data)
        cursor = part.next_cursor
      }
      return parts
    }
  }
}

export type Manager = ReturnType<typeof manager>

/** A customer who has nothing yet but a token; what it costs is not charged, and not counted. */
export const newManager = async (server: Served): Promise<Manager & { readonly customerId: string }> => {
  const made = (await server.cli("customer", "create", "--name", "Shop", "--plan", "business")) as {
    readonly id: string | number
  }
  const customerId = String(made.id)
  const owner = ["--customer", customerId, "--scope", "full", "--name", "CI"]
  const [{ secret }] = await Promise.all([
    server.cli("token", "create", ...owner) as Promise<{ readonly secret: string }>,
    server.cli("wallet", "top-up", "--customer", customerId, "--amount", "1000000")
  ])
  return { ...manager(server, secret), customerId }
}

/** A token of the same customer that may only read. */
export const readerOf = async (server: Served, { token }: Manager) =>
  manager(server, (await newToken(server, `apikey ${token}`, "read_only")).secret)

/** The answer to a request with this service key for a thing that does not exist: 404 once the key is accepted. */
export const useKey = (server: Pick<Running, "url">, secret: string) =>
  otp(server, secret).read("01890a5d-ac96-774b-bcce-b302099a8057")

export const etagOf = (version: number) => `"${version}"`

export const withKey = (key: string = newKey()): HeaderSet => ({ "idempotency-key": key })

export const ifMatch = (version: number | string): HeaderSet => ({
  "if-match": typeof version === "number" ? etagOf(version) : version
})

/** The answer must be 204, without a body. */
export const done = (reply: Reply) => {
  expect([reply.status, reply.text], reply.text).toEqual([204, ""])
}
