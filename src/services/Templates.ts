import { Context, Effect, Layer } from "effect"
import type { TemplateError } from "../domain/Errors.ts"

/** The texts customers wrote. */
export class Templates extends Context.Service<
  Templates,
  {
    /** The text that carries a code, with its placeholders. */
    readonly codeText: (customerId: number, templateId: number) => Effect.Effect<string, TemplateError>
  }
>()("peyk/services/Templates") {
  /** For where no template is ever asked for. */
  static readonly layerNone = Layer.succeed(
    Templates,
    Templates.of({ codeText: () => Effect.die("templates are not offered here") })
  )
}
