/** Before `npm run types`: the types that the client has from openapi.json. */
import { writeClientTypes } from "./ClientFiles.ts"

writeClientTypes()
