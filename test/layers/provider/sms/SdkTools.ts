import { Effect } from "effect"
import * as http from "node:http"
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { hasTools, tools } from "../../../clients/packages/Packed.ts"

export { hasTools }

/** Loads a package that is installed next to the other tools of the tests. */
export const loadTool = createRequire(join(tools, "index.js"))

type Callback = (response: IncomingMessage) => void
const httpsModule: { request: (options: RequestOptions, callback: Callback) => ClientRequest } =
  loadTool("node:https")

/** While the scope lasts, requests over https to this host go to the fake instead. All else of them stays. */
export const turnHttps = (host: string, fakeUrl: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { request } = httpsModule
      const { port } = new URL(fakeUrl)
      httpsModule.request = (options, callback) => {
        if (options.host !== host) return request(options, callback)
        const path = String(options.path).replace(/^https:\/\/[^/]+/, "")
        return http.request({ ...options, host: "127.0.0.1", port, path }, callback)
      }
      return request
    }),
    (request) => Effect.sync(() => void (httpsModule.request = request))
  )
