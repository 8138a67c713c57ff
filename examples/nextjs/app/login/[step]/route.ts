// Next.js 16: npm install ./peyk-client-*.tgz. Copy app and lib into your project, and examples/login/* to public/.
import { createClient } from "@peyk/client"
import { createLogin, type Login } from "@peyk/client/login-server"
import { currentSession, newSession } from "../../../lib/session"

let login: Login | undefined

/** Made at the first request: `next build` loads the routes without these settings. */
const made = () =>
  (login ??= createLogin(createClient({ baseUrl: process.env.PEYK_URL!, apiKey: process.env.PEYK_API_KEY! })))

interface Context {
  readonly params: Promise<{ readonly step: string }>
}

/** The last address is the one that your own proxy adds. */
const visitorOf = async (request: Request) => ({
  session: (await currentSession()) ?? (await newSession()),
  ip: request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() || undefined
})

export const POST = async (request: Request, { params }: Context): Promise<Response> => {
  // Another site's form cannot send JSON, so the routes need no CSRF token.
  const type = request.headers.get("content-type")?.split(";")[0]?.trim()
  if (type !== "application/json") return new Response(null, { status: 415 })
  const json: unknown = await request.json().catch(() => null)
  if (typeof json !== "object" || json === null)
    return Response.json({ error: "bad_request" }, { status: 400 })
  const given = json as { readonly phone?: unknown; readonly code?: unknown; readonly channel?: unknown }
  const { step } = await params
  const visitor = await visitorOf(request)
  if (step === "verify") {
    const { status, body, phone } = await made().verify(visitor, given.code)
    // A new session, whose id nobody can know from before. Sign the person in here.
    if (phone !== null) await newSession({ phone })
    return Response.json(body, { status })
  }
  if (step !== "send" && step !== "next") return new Response(null, { status: 404 })
  const { status, body } = await (step === "send"
    ? made().send(visitor, given.phone)
    : made().next(visitor, given.channel))
  return Response.json(body, { status })
}

export const GET = async (_request: Request, { params }: Context): Promise<Response> => {
  if ((await params).step !== "status") return new Response(null, { status: 404 })
  const { status, body } = await made().status({ session: (await currentSession()) ?? {} })
  return Response.json(body, { status })
}
