import type { ApiKeyRecord } from "../../../../domain/key/ApiKey.ts"
import type { Html } from "../../frame/Html.ts"
import { mono } from "../../parts/Text.ts"

/** The parts of a key that pages may show. */
export const visibleKey = ({ prefix, lastFour }: Pick<ApiKeyRecord, "prefix" | "lastFour">): Html =>
  mono(`${prefix}…${lastFour}`)
