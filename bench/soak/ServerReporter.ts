/**
 * Loaded into a server before its own code. Its calls show providers their server, and it records when it could do
 * nothing because of the machine or its own work.
 */
import { appendFileSync } from "node:fs"
import { subscribe } from "node:diagnostics_channel"
import { watchStalls } from "./Stalls.ts"

const { searchParams } = new URL(import.meta.url)
const server = searchParams.get("server") ?? ""
const file = searchParams.get("file") ?? ""

interface Created {
  readonly request: { readonly addHeader: (name: string, value: string) => void }
}

subscribe("undici:request:create", (message) => {
  const { request } = message as Created
  request.addHeader("x-soak-server", server)
})

watchStalls((span) => appendFileSync(file, `${JSON.stringify(span)}\n`))
