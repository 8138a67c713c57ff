/** Acts of somebody who manages an account: by token, or signed in. */
import { randomUUID } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type HeaderSet, ok, request } from "./Client.ts"
import type { Running } from "./Server.ts"

export const PASSWORD = "correct horse battery"

/** Passwords are given to commands in files. */
export const withPasswordFile = async <A>(password: string, use: (file: string) => Promise<A>) => {
  const file = join(tmpdir(), `peyk-password-${randomUUID()}`)
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  try {
    return await use(file)
  } finally {
    await rm(file, { force: true })
  }
}

export type Role = "owner" | "developer" | "viewer"

export interface User {
  readonly id: string
  readonly email: string
}

export const newEmail = (role: Role) => `${role}-${randomUUID()}@example.ir`

/** A user made by an operator, for a customer who has nobody yet. */
export const firstUser = (server: Pick<Running, "cli">, customer: string, role: Role) =>
  withPasswordFile(PASSWORD, async (file) => {
    const owner = ["--customer", customer, "--email", newEmail(role), "--role", role]
    return (await server.cli("user", "create", ...owner, "--name", role, "--password-file", file)) as User
  })

export interface SignedIn {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly refresh_token: string
}

export const auth = (server: Pick<Running, "url">, operation: string, body: unknown) =>
  request(server, "POST", `/v1/auth/${operation}`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

export const signIn = async (server: Pick<Running, "url">, email: string, password = PASSWORD) =>
  ok<SignedIn>(await auth(server, "sign-in", { email, password }))

/** One request with these headers; a body where the method has one. */
export const manage = (
  server: Pick<Running, "url">,
  method: string,
  path: string,
  headers: HeaderSet,
  body?: unknown
) =>
  request(server, method, `/v1/manage${path}`, {
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

/** A user made with somebody's credential. */
export const newUser = async (server: Pick<Running, "url">, authorization: string, role: Role) => {
  const body = { email: newEmail(role), name: role, role, password: PASSWORD }
  return ok<User>(await manage(server, "POST", "/users", { authorization }, body), 201)
}

export interface Token {
  readonly id: number
  readonly secret: string
}

export const newToken = async (
  server: Pick<Running, "url">,
  authorization: string,
  scope: "full" | "read_only",
  expires_at?: string
) => {
  const body = { name: `a ${scope} token`, scope, expires_at: expires_at ?? null }
  return ok<Token>(await manage(server, "POST", "/tokens", { authorization }, body), 201)
}
