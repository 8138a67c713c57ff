import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Channel } from "../../../domain/routing/Channel.ts"
import { documentedError } from "../../errors/Envelope.ts"
import type { ListName } from "../wire/Cursors.ts"
import { invalid } from "../wire/ManageEndpoints.ts"
import { pageOf, pageQuery } from "../wire/ManageWire.ts"
import { PhoneText } from "../../../domain/Fields.ts"
import { timeQuery } from "../wire/SearchFields.ts"

/** Searches sends to phones, with the filters of all and its own. */
export const deliverySearch = <Filters extends Schema.Struct.Fields, Resource extends Schema.Top>(
  list: ListName,
  filters: Filters,
  resource: Resource
) =>
  HttpApiEndpoint.get("list", "/", {
    query: {
      ...pageQuery(list),
      ...timeQuery,
      phone: Schema.optionalKey(PhoneText),
      ...filters,
      channel: Schema.optionalKey(Channel).annotateKey({ description: "A channel that was tried." })
    },
    success: pageOf(resource),
    error: [invalid, documentedError("invalid_phone")]
  }).annotateMerge(
    OpenApi.annotations({
      summary: `Search ${list}, the newest first`,
      description: "A filtered part may be shorter than limit: the list is complete when next_cursor is null."
    })
  )
