import { Context, Effect, Layer } from "effect"
import type { CustomerConfiguration } from "../../domain/people/Customer.ts"
import type { TemplateError, TemplateParametersMismatch } from "../../domain/Errors.ts"
import type { CodeText, Locale } from "../../domain/message/CodeText.ts"
import type { Template } from "../../domain/message/Template.ts"

/** A template with filled placeholders. */
export interface FilledTemplate {
  readonly template: Template
  readonly text: string
}

/** The texts that customers wrote. */
export class Templates extends Context.Service<
  Templates,
  {
    /** The text that carries a code: the template's, else the default with the customer's options. */
    readonly codeText: (
      customer: CustomerConfiguration,
      request: { readonly templateId?: number | undefined; readonly locale?: Locale | undefined }
    ) => Effect.Effect<CodeText, TemplateError>
    readonly fill: (
      customerId: number,
      templateId: number,
      parameters: ReadonlyMap<string, string>
    ) => Effect.Effect<FilledTemplate, TemplateError | TemplateParametersMismatch>
  }
>()("peyk/services/customer/Templates") {
  /** The default text only, which nobody receives. */
  static readonly layerNone = Layer.succeed(
    Templates,
    Templates.of({
      codeText: () => Effect.succeed({ textBody: null, textLocale: null }),
      fill: () => Effect.die("templates are not offered here")
    })
  )
}
