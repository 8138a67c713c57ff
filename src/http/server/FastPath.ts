import { Context } from "effect"
import type { ServerResponse } from "node:http"
import type { IncomingRequest } from "./IncomingRequest.ts"

/**
 * Takes a request and returns true, or leaves it untouched and returns false. A request that was taken can still be
 * declined, with its body put back, before anything is done.
 */
export type TakeRequest = (request: IncomingRequest, response: ServerResponse, decline: () => void) => boolean

/** Answers the most frequent requests ahead of the router. */
export class FastPath extends Context.Service<FastPath, TakeRequest>()("peyk/http/server/FastPath") {}
