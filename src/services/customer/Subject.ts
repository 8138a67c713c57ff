/** The code or message that a request is about. */
export interface Subject {
  readonly customerId: number
  readonly id: string
  /** The version that the request's key was read with; null: the request has no key. */
  readonly setUpVersion?: number | null
}
