/**
 * Loaded into a server before its own code: its calls tell providers which server they come from, and it writes down when it
 * could do nothing because the machine or its own work held it up.
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
