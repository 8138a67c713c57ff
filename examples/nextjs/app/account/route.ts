import { currentSession } from "../../lib/session"

export const GET = async (): Promise<Response> => {
  const phone = (await currentSession())?.phone
  return phone === undefined
    ? new Response(null, { status: 302, headers: { location: "/login.html" } })
    : new Response(`You are signed in as ${phone}.`)
}
