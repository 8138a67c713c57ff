// Next.js 16: npm install ./peyk-client-*.tgz. Copy app/login and lib into your project, and the login page to public/.
import { peyk, withErrors } from "../../../lib/peyk"

export const POST = (request: Request): Promise<Response> =>
  withErrors(request, async ({ phone }) => {
    // The last address is the one that your own proxy adds.
    const ip = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()
    const sent = await peyk().otp.send({ phone: String(phone), ...(ip ? { client: { ip } } : {}) })
    // The page never sees the id: a code works only in the browser that asked for it.
    const cookie = `verification=${sent.verification_id}; Path=/login; HttpOnly; SameSite=Lax; Max-Age=${sent.expires_in}`
    return Response.json({ expires_in: sent.expires_in }, { headers: { "set-cookie": cookie } })
  })
