import type { LoadGenerator } from "./Load.ts"
import type { Store } from "./Store.ts"
import type { Subject } from "./Subject.ts"

/** What a measurement of one subject runs with. */
export interface MeasurementSetup {
  readonly subject: Subject
  readonly load: LoadGenerator
  readonly store: Store
  readonly seconds: number
  /** The number of the first of so many phones that no other run uses. */
  readonly takePhones: (count: number) => number
}
