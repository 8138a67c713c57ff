import { Context, type Effect } from "effect"
import type { Conflict, NotFound, PreconditionFailed } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { Template } from "../../domain/message/Template.ts"

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
>()("peyk/services/message/TemplateRecords") {}
