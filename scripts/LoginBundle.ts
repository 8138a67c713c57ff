/** The login page's element as one file, which a site can serve as it is. */
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const source = fileURLToPath(new URL("../packages/client/src/login.ts", import.meta.url))

const NOTE = "/* Made by `npm run generate` from packages/client/src/login. MIT license. */\n"

export const bundleLogin = async (): Promise<string> => {
  const made = await rolldown({ input: source, platform: "browser", logLevel: "silent" })
  const { output } = await made.generate({ format: "esm", minify: true, comments: false })
  await made.close()
  return NOTE + output[0].code
}
