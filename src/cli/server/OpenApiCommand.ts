import { Console } from "effect"
import { Command } from "effect/cli"
import { OpenApi } from "effect/http-api"
import { Api } from "../../http/Api.ts"

/** The OpenAPI document, as it is committed and served. */
export const openApiDocument = (): string => `${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`

const openapiCommand = Command.make("openapi", {}, () => Console.log(openApiDocument().trimEnd()))

export const commands = { openapi: openapiCommand }
