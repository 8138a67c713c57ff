// @effect-diagnostics globalTimers:off
/** The differences between Node 18, newer Nodes, Deno, Bun, workers and browsers. */

/** Node 18 has no global `crypto`. The name is not a literal, so that bundlers for browsers leave it alone. */
export const webCrypto = async (): Promise<Crypto> => {
  const known = (globalThis as { readonly crypto?: Crypto }).crypto
  if (known !== undefined) return known
  const name = "node:crypto"
  return ((await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as { readonly webcrypto: Crypto })
    .webcrypto
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** `crypto.randomUUID` is missing where a page is not served by https. */
export const randomUuid = async (): Promise<string> => {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const text = hex(bytes)
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    "-"
  )
}

/** Waits; a signal ends the wait with its reason. */
export const sleep = (millis: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, millis)
    if (signal?.aborted === true) end()
    else signal?.addEventListener("abort", end, { once: true })
  })
