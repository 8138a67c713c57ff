import { Effect, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { Locale } from "../../domain/verification/CodeText.ts"
import { type Actor, Role, Scope } from "../../domain/user/Actor.ts"
import { RequireJson } from "../RequestGuards.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import {
  APP_HASH,
  BRAND,
  changeCustomer,
  type CustomerRecord,
  CustomerRecords,
  LOCALE,
  MeChange,
  SECOND_FACTOR,
  WEBOTP_HOST,
  WEBOTP_ORIGINS
} from "../../services/customer/CustomerRecords.ts"
import { handlersOf, manageGroup, notFound, summary } from "./Endpoints.ts"
import { respondWithResource, handler } from "./Handlers.ts"

const Me = Schema.Struct({
  kind: Schema.Literals(["token", "user", "session", "operator"]),
  id: Schema.String,
  name: Schema.String,
  scope: Scope,
  role: Schema.NullOr(Role),
  customer_id: Schema.Int,
  brand: Schema.NullOr(Schema.String).annotateKey({ description: BRAND }),
  locale: Locale.pipe(Schema.annotateKey({ description: LOCALE })),
  webotp_host: Schema.NullOr(Schema.String).annotateKey({ description: WEBOTP_HOST }),
  webotp_origins: Schema.Array(Schema.String).annotate({ description: WEBOTP_ORIGINS }),
  app_hash: Schema.NullOr(Schema.String).annotateKey({ description: APP_HASH }),
  second_factor_required: Schema.Boolean.annotateKey({ description: SECOND_FACTOR })
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

type Me = typeof Me.Type

const toMe = (
  { kind, id, name, scope, role = null, customerId }: Actor,
  { brand, locale, webOtpHost, webOtpOrigins, appHash, needsSecondFactor }: CustomerRecord
): Me => ({
  kind,
  id,
  name,
  scope,
  role,
  customer_id: customerId,
  brand,
  locale,
  webotp_host: webOtpHost,
  webotp_origins: webOtpOrigins,
  app_hash: appHash,
  second_factor_required: needsSecondFactor
})

export const MeHandlers = handlersOf(MeGroup, (handlers) =>
  handlers.handleAll({
    read: () =>
      Effect.gen(function* () {
        const { actor } = yield* CurrentActor
        return respondWithResource(toMe(actor, yield* (yield* CustomerRecords).find(actor.customerId)))
      }).pipe(orEnvelope),
    update: handler(changeCustomer, { status: 200, body: (customer, _, actor) => toMe(actor, customer) })
  })
)
