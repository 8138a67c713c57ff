import { Context } from "effect"
import type { ServerResponse } from "node:http"
import type { IncomingRequest } from "./IncomingRequest.ts"

/**
 * Takes a request and returns true, or leaves it untouched and returns false. A taken request can still be declined,
 * with its body put back, before any work is done.
 */
export type TakeRequest = (request: IncomingRequest, response: ServerResponse, decline: () => void) => boolean

/** Serves the most frequent requests ahead of the router. */
export class FastPath extends Context.Service<FastPath, TakeRequest>()("peyk/http/server/FastPath") {}
