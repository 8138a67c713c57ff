/** Finds the end of a response in the bytes that came. */

export interface FoundResponse {
  readonly status: number
  /** How many bytes it has. */
  readonly bytes: number
}

const HEAD_END = "\r\n\r\n"
const LAST_CHUNK = "0\r\n\r\n"
const STATUS_AT = "HTTP/1.1 ".length

/** The response that `data` begins with; null: it is not complete. */
export const responseIn = (data: Buffer): FoundResponse | null => {
  const headEnd = data.indexOf(HEAD_END)
  if (headEnd === -1) return null
  const head = data.toString("latin1", 0, headEnd).toLowerCase()
  const status = Number(head.slice(STATUS_AT, STATUS_AT + 3))
  const bodyAt = headEnd + HEAD_END.length
  if (head.includes("\r\ntransfer-encoding: chunked")) {
    const isEmpty = data.indexOf(LAST_CHUNK, bodyAt) === bodyAt
    const end = isEmpty ? bodyAt : data.indexOf(`\r\n${LAST_CHUNK}`, bodyAt)
    if (end === -1) return null
    return { status, bytes: end + (isEmpty ? 0 : 2) + LAST_CHUNK.length }
  }
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? "0"
  const bytes = bodyAt + Number(length)
  return data.length < bytes ? null : { status, bytes }
}
