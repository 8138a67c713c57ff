/** Somebody at a browser, as far as HTTP goes: keeps cookies, sends forms. */
import { expect } from "vitest"
import { firstUser, PASSWORD, type Role, type User } from "../contract/Manager.ts"
import type { Running } from "../contract/Server.ts"

type Addressed = Pick<Running, "url">

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly location: string | null
}

/** The page as it is read, without its markup. */
export const wordsOf = ({ text }: Pick<Answer, "text">): string =>
  text
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll(/\s+/g, " ")

/** The token that a page's forms carry. */
export const csrfIn = ({ text }: Answer): string => {
  const token = /name="csrf"\s+value="([^"]+)"/.exec(text)?.[1]
  if (token === undefined) throw new Error(`a page without a form:\n${text}`)
  return token
}

export const newVisitor = (server: Addressed, always: Readonly<Record<string, string>> = {}) => {
  const cookies = new Map<string, string>()
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers)
    for (const [name, value] of Object.entries(always)) headers.set(name, value)
    if (cookies.size > 0)
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "))
    const reply = await fetch(`${server.url}${path}`, { ...init, method, headers, redirect: "manual" })
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/max-age=0/i.test(cookie)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return {
      status: reply.status,
      headers: reply.headers,
      text: await reply.text(),
      location: reply.headers.get("location")
    }
  }
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    send("GET", path, { headers: { accept: "text/html", ...headers } })
  /** Several fields may have one name. */
  const postAll = (path: string, body: URLSearchParams) => send("POST", path, { body })
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    postAll(path, new URLSearchParams(fields))
  const signIn = async (email: string, password = PASSWORD) =>
    post("/console/sign-in", { email, password, csrf: csrfIn(await get("/console/sign-in")) })
  return { cookies, get, post, postAll, signIn }
}
export type Visitor = ReturnType<typeof newVisitor>

/** A new user of the customer, signed in. */
export const signedIn = async (
  server: Pick<Running, "url" | "cli">,
  customer: string | number,
  role: Role
): Promise<Visitor & { readonly user: User }> => {
  const user = await firstUser(server, String(customer), role)
  const visitor = newVisitor(server)
  const reply = await visitor.signIn(user.email)
  expect(reply.status, reply.text).toBe(303)
  return { ...visitor, user }
}

/** A new operator, signed in by a link. */
export const newOperator = async (server: Pick<Running, "url" | "cli">, email: string): Promise<Visitor> => {
  await server.cli("operator", "create", "--email", email)
  const made = (await server.cli("operator", "sign-in-link", "--email", email)) as { readonly url: string }
  const { pathname, search, searchParams } = new URL(made.url)
  const visitor = newVisitor(server)
  const csrf = csrfIn(await visitor.get(`${pathname}${search}`))
  await visitor.post("/console/sign-in-link", { csrf, token: searchParams.get("token") ?? "" })
  return visitor
}
