import { Context, Effect, Layer, type Result } from "effect"
import type { TemplateError, TemplateParametersMismatch } from "../../domain/Errors.ts"
import type { CodeText, Locale } from "../../domain/message/CodeText.ts"
import type { Template } from "../../domain/message/Template.ts"
import type { CustomerConfiguration } from "../../domain/customer/Customer.ts"

/** A template with filled placeholders. */
interface FilledTemplate {
  readonly template: Template
  readonly text: string
}

export type FillTemplate = (
  templateId: number,
  parameters: ReadonlyMap<string, string>
) => Result.Result<FilledTemplate, TemplateError | TemplateParametersMismatch>

/** The texts that customers wrote. */
export class Templates extends Context.Service<
  Templates,
  {
    /** The text that carries a code: the template's, else the default with the customer's options. */
    readonly codeText: (
      customer: CustomerConfiguration,
      request: { readonly templateId?: number | undefined; readonly locale?: Locale | undefined }
    ) => Effect.Effect<CodeText, TemplateError>
    /** Reads these templates of the customer, to fill them without further reads. */
    readonly read: (customerId: number, templateIds: ReadonlyArray<number>) => Effect.Effect<FillTemplate>
  }
>()("peyk/services/message/Templates") {
  /** The default text only, which nobody receives. */
  static readonly layerNone = Layer.succeed(
    Templates,
    Templates.of({
      codeText: () => Effect.succeed({ textBody: null, textLocale: null }),
      read: () => Effect.die("templates are not offered here")
    })
  )
}
