import { peyk, withErrors } from "../../../lib/peyk"

export const POST = (request: Request): Promise<Response> =>
  withErrors(request, async ({ code }) => {
    const verification_id = /\bverification=([\w-]+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? ""
    const { verified, reason } = await peyk().otp.verify({ verification_id, code: String(code) })
    if (!verified) return Response.json({ verified, reason })
    const { phone } = await peyk().otp.status(verification_id)
    // Start your own session for this phone here.
    const cookie = "verification=; Path=/login; Max-Age=0"
    return Response.json({ verified, phone }, { headers: { "set-cookie": cookie } })
  })
