import { Context } from "effect"
import type { Verifications } from "./Verifications.ts"

/** The sandbox's composition of `Verifications`, for code that uses both it and the live one. */
export class SandboxVerifications extends Context.Service<SandboxVerifications, Verifications["Service"]>()(
  "peyk/services/verification/SandboxVerifications"
) {}
