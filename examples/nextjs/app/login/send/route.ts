// Next.js 16: npm install @peyk/client, and save the login page as public/login.html.
import { peyk, withErrors } from "../../../lib/peyk"

export const POST = (request: Request): Promise<Response> =>
  withErrors(request, async () => {
    const { phone } = (await request.json()) as { phone: string }
    // The last address is the one that your own proxy adds.
    const ip = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()
    const sent = await peyk().otp.send({ phone: String(phone), ...(ip ? { client: { ip } } : {}) })
    // The page never sees the id: a code works only in the browser that asked for it.
    const cookie = `verification=${sent.verification_id}; Path=/login; HttpOnly; SameSite=Lax; Max-Age=${sent.expires_in}`
    return Response.json({ expires_in: sent.expires_in }, { headers: { "set-cookie": cookie } })
  })
