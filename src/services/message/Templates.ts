import { Context, Effect, Layer, type Result } from "effect"
import type {
  Conflict,
  NotFound,
  PreconditionFailed,
  TemplateError,
  TemplateParametersMismatch,
  ValidationError
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { Client } from "../../domain/customer/Client.ts"
import type { CustomerConfiguration } from "../../domain/customer/Customer.ts"
import type { Template } from "../../domain/message/Template.ts"
import type { CodeText, Locale } from "../../domain/verification/CodeText.ts"

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
      request: {
        readonly templateId?: number | undefined
        readonly locale?: Locale | undefined
        readonly client?: Client | undefined
      }
    ) => Effect.Effect<CodeText, TemplateError | ValidationError>
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

export interface TemplateRecord extends Template {
  readonly createdAt: Instant
  readonly version: number
}

/** A missing field stays as it is. */
interface TemplateChange {
  readonly name?: string | undefined
  readonly body?: string | undefined
  readonly active?: boolean | undefined
}

/** A customer's own templates. */
export class TemplateRecords extends Context.Service<
  TemplateRecords,
  {
    readonly list: (customerId: number, page: PageRequest) => Effect.Effect<Page<TemplateRecord>>
    readonly find: (customerId: number, id: number) => Effect.Effect<TemplateRecord, NotFound>
    /** The customer whose template this is. */
    readonly ownerOf: (id: number) => Effect.Effect<number, NotFound>
    readonly create: (
      customerId: number,
      template: { readonly name: string; readonly body: string }
    ) => Effect.Effect<TemplateRecord>
    readonly update: (
      customerId: number,
      id: number,
      change: TemplateChange,
      version: number | null
    ) => Effect.Effect<TemplateRecord, NotFound | PreconditionFailed>
    /** An accepted send has its text already, so only the saved routing order can need a template. */
    readonly remove: (
      customerId: number,
      id: number,
      version: number | null
    ) => Effect.Effect<void, NotFound | PreconditionFailed | Conflict>
  }
>()("peyk/services/message/Templates/TemplateRecords") {}
