import { createClient, PeykError } from "@peyk/client"

let client: ReturnType<typeof createClient> | undefined

/** Made at the first request: `next build` loads the routes without these settings. */
export const peyk = () =>
  (client ??= createClient({ baseUrl: process.env.PEYK_URL!, apiKey: process.env.PEYK_API_KEY! }))

/** Responds to Peyk's errors with their code, which the page shows. */
export const withErrors = async (
  request: Request,
  handle: (body: Readonly<Record<string, unknown>>) => Promise<Response>
): Promise<Response> => {
  // Another site's form cannot send JSON, so the routes need no CSRF token.
  const type = request.headers.get("content-type")?.split(";")[0]?.trim()
  if (type !== "application/json") return new Response(null, { status: 415 })
  const body: unknown = await request.json().catch(() => null)
  if (typeof body !== "object" || body === null)
    return Response.json({ error: "bad_request" }, { status: 400 })
  try {
    return await handle(body as Readonly<Record<string, unknown>>)
  } catch (error) {
    if (!(error instanceof PeykError)) throw error
    // Not Peyk's own response: its status would say something wrong about this page.
    const isForeign = error.code === "invalid_response" || error.status === 0
    return Response.json({ error: error.code }, { status: isForeign ? 503 : error.status })
  }
}
