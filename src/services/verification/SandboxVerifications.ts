import { Context } from "effect"
import type { Verifications } from "./Verifications.ts"

/** The sandbox's composition of `Verifications`, for those who use it beside the live one. */
export class SandboxVerifications extends Context.Service<SandboxVerifications, Verifications["Service"]>()(
  "peyk/services/verification/SandboxVerifications"
) {}
