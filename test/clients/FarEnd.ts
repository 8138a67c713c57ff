import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { createClient, isPeykError, type PeykError } from "../../packages/client/src/index.ts"

interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

type Reply =
  | {
      readonly status?: number
      readonly headers?: Record<string, string>
      readonly body?: unknown
      /** Instead of a body: these bytes. */
      readonly text?: string
    }
  | "hang up"

const respond = (response: ServerResponse, reply: Reply) => {
  if (reply === "hang up") {
    response.destroy()
    return
  }
  const { status = 200, headers = {}, body, text = "" } = reply
  response.writeHead(status, headers).end(body === undefined ? text : JSON.stringify(body))
}

/** Until the end of the test, a far end that gives these replies in turn, the last one for ever. */
export const startFarEnd = async (...replies: ReadonlyArray<Reply>) => {
  const received: Array<Received> = []
  const far = createServer(async (request, response) => {
    const parts: Array<Buffer> = []
    for await (const part of request) parts.push(part as Buffer)
    const { method = "", url = "", headers } = request
    received.push({ method, url, headers, body: Buffer.concat(parts).toString() })
    respond(response, replies[Math.min(received.length, replies.length) - 1] ?? {})
  })
  await new Promise<void>((resolve) => far.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    far.closeAllConnections()
    far.close()
  })
  const { port } = far.address() as AddressInfo
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}/`,
    apiKey: "svc_live_key",
    token: "svc_pat_token"
  })
  return { received, client }
}

export const refusal = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  details: unknown = {}
) => ({
  status,
  headers,
  body: { error: { code, message: "No.", details }, request_id: "request-7" }
})

export const caught = async (call: Promise<unknown>): Promise<PeykError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown
  )
  if (!isPeykError(error)) throw new Error(`expected a PeykError, not ${String(error)}`)
  return error
}

export const sent = { verification_id: "v", status: "queued", current_attempt_channel: {}, expires_in: 300 }
