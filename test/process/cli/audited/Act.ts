/** A change that the command line makes, and the entry that it leaves in the customer's audit log. */
export interface Act {
  readonly command: string
  readonly words?: () => ReadonlyArray<string>
  readonly input?: string
  readonly action: string
  /** The kind of the subject; `made` has its id under this name. */
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
  /** The field of the answer that is the id of what the command made. */
  readonly makes?: string
}

/** The ids of what earlier commands made. */
export const made = new Map<string, string>()

export const id = (name: string): string => made.get(name) ?? "none"

export const ofCustomer = () => ["--customer", id("customer")]
