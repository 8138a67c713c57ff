import { isUtf8 } from "node:buffer"
import type { IncomingRequest } from "../server/IncomingRequest.ts"

interface BodyReader {
  /** The announced length. */
  readonly length: number
  /** Takes the whole body; returns false to put it back and decline the request. */
  readonly take: (bytes: Buffer) => boolean
  readonly decline: () => void
  /** Answers a request for whose work there is no room. */
  readonly refuse: () => void
}

/** A body, decoded and as it came. */
export interface JsonBody {
  /** Undefined if the bytes are not UTF-8, or the text is no JSON. */
  readonly body: unknown
  readonly text: string
}

export const parseJson = (bytes: Buffer): JsonBody => {
  const text = bytes.toString("utf8")
  // What is not UTF-8 is decoded as this; the search costs nothing in a text of ASCII.
  if (text.includes("\uFFFD") && !isUtf8(bytes)) return { body: undefined, text }
  try {
    return { body: JSON.parse(text), text }
  } catch {
    return { body: undefined, text }
  }
}

/** Reads a body of known length at once when all of it has arrived; declines a request whose body comes too late. */
export const readWholeBody = (
  request: IncomingRequest,
  { length, take, decline, refuse }: BodyReader
): void => {
  let isTaken = false
  const onReadable = () => {
    // Only its end is left.
    if (isTaken) return void request.read()
    if (request.readableLength < length) return
    if (!request.endBodyWait()) {
      isTaken = true
      return refuse()
    }
    const bytes: Buffer = request.read()
    isTaken = take(bytes)
    if (isTaken) return
    request.off("readable", onReadable).unshift(bytes)
    decline()
  }
  request.on("readable", onReadable)
  request.waitForBody(() => {
    request.off("readable", onReadable)
    decline()
  })
}
