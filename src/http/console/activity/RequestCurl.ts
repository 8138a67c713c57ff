import type { LoggedRequest, RequestedFields } from "../../../domain/LoggedRequest.ts"

/** In a shell, `"$PHONE"` within a text in double quotes: what the log does not keep. */
interface Repeated {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>> | null
}

const SUBJECT = /\{[a-z_]+\}/

const withPlaceholders = (
  route: string,
  fields: RequestedFields,
  subjectId: string | null
): Readonly<Record<string, unknown>> | null => {
  if (route.endsWith("/otp/send")) return { phone: "$PHONE", ...fields }
  if (route.endsWith("/otp/verify"))
    return { verification_id: subjectId ?? "$VERIFICATION_ID", code: "$CODE" }
  if (!route.endsWith("/messages/send")) return null
  const { template, ...rest } = fields
  const content =
    template === undefined ? { message: "$TEXT" } : { template: { ...template, parameters: "$PARAMETERS" } }
  return { to: "$PHONE", ...content, ...rest }
}

const repeatedOf = ({ route, method, fields, subjectId }: LoggedRequest): Repeated => ({
  path: route.replace(SUBJECT, subjectId ?? "$ID"),
  body: method === "POST" ? withPlaceholders(route, fields ?? {}, subjectId) : null
})

/** In single quotes, but for the variables: `'{"phone":"'"$PHONE"'"}'`. */
const shellText = (body: Readonly<Record<string, unknown>>): string => {
  const json = JSON.stringify(body)
    // An object of the template's own: not a text.
    .replace('"$PARAMETERS"', "$PARAMETERS")
    .replaceAll("'", String.raw`'\''`)
  return `'${json.replaceAll(/\$[A-Z_]+/g, (name) => `'"${name}"'`)}'`
}

const NEEDS_KEY = /\/(?:otp|messages)\/(?:send|batch)$/

/**
 * The request as a line of a shell. The key, the phone, the code and the text are variables: the log has none of them.
 */
export const curlOf = (request: LoggedRequest, baseUrl: string): string => {
  const { path, body } = repeatedOf(request)
  const { method, route } = request
  return [
    `curl -s${method === "GET" ? "" : ` -X ${method}`} "${baseUrl}${path}"`,
    `-H "X-API-Key: $PEYK_API_KEY"`,
    ...(method === "POST" && NEEDS_KEY.test(route) ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(body === null ? [] : [`-H "Content-Type: application/json"`, `-d ${shellText(body)}`])
  ].join(" \\\n  ")
}

/** Requests whose body is more than the log can say. */
export const canRepeat = ({ route }: Pick<LoggedRequest, "route">): boolean => !route.endsWith("/batch")
