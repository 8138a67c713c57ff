import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { Locale } from "../../domain/message/CodeText.ts"
import { Role, Scope } from "../../domain/user/Actor.ts"
import { RequireJson } from "../RequestGuards.ts"
import { manageGroup, notFound, summary } from "../wire/Endpoints.ts"
import { BRAND, LOCALE, MeChange, WEBOTP_HOST } from "../../services/customer/CustomerActions.ts"

const Me = Schema.Struct({
  kind: Schema.Literals(["token", "user", "session", "operator"]),
  id: Schema.String,
  name: Schema.String,
  scope: Scope,
  role: Schema.NullOr(Role),
  customer_id: Schema.Int,
  brand: Schema.NullOr(Schema.String).annotateKey({ description: BRAND }),
  locale: Locale.pipe(Schema.annotateKey({ description: LOCALE })),
  webotp_host: Schema.NullOr(Schema.String).annotateKey({ description: WEBOTP_HOST })
}).annotate({ identifier: "Me" })

export class MeGroup extends manageGroup(
  "me",
  "/v1/manage/me",
  { title: "Management: who am I" },
  HttpApiEndpoint.get("read", "/", { success: Me, error: notFound }).annotateMerge(
    summary("The customer that this credential represents, and the texts of its codes")
  ),
  HttpApiEndpoint.patch("update", "/", { payload: MeChange, success: Me, error: notFound })
    .annotateMerge(summary("Change the default text of the customer's codes"))
    .middleware(RequireJson)
) {}

export type Me = typeof Me.Type
