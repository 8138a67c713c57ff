import { expect } from "vitest"
import { manage } from "../contract/Manager.ts"
import type { Server } from "../contract/Server.ts"
import { type Answer, csrfIn, type Visitor } from "./Visitor.ts"

/** Sends a form of the page at `from`, as a browser does. */
export const submit = async (
  visitor: Visitor,
  from: string,
  action: string,
  fields: Readonly<Record<string, string>> = {}
) => visitor.post(action, { ...fields, csrf: csrfIn(await visitor.get(from)) })

export const CONNECT = "/console/channels/connect"

/** Connects an account by the page's form; returns its id. */
export const connectBy = (visitor: Visitor) => async (fields: Readonly<Record<string, string>>) => {
  const reply = await submit(
    visitor,
    `${CONNECT}?channel=${fields["channel"]}&provider=${fields["provider"]}`,
    CONNECT,
    fields
  )
  expect(reply.status, reply.text).toBe(303)
  return /\/console\/channels\/(\d+)/.exec(reply.location ?? "")?.[1] ?? ""
}

/** The management API with the demo customer's token. */
export const demoApi =
  (server: Pick<Server, "url" | "demo">) =>
  async <A>(method: string, path: string, body?: unknown) => {
    const token = { authorization: `apikey ${server.demo.token}` }
    return JSON.parse((await manage(server, method, path, token, body)).text) as A
  }

/** The rows of a list, without its head. */
export const rowsOf = ({ text }: Pick<Answer, "text">): ReadonlyArray<string> =>
  text.split(/<tr role="row"[^>]*>/).slice(2)

/** The hidden fields of the form of a page that has this action. */
export const hiddenFields = ({ text }: Answer, action: string): Readonly<Record<string, string>> => {
  const form = text.split("<form").find((each) => each.includes(`action="${action}"`))
  if (form === undefined) throw new Error(`no form for ${action}:\n${text}`)
  const fields = form.split("</form>")[0]?.matchAll(/type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g) ?? []
  return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]))
}
